package stats

// PassAtK estimates, without bias, the probability that at least one of k samples
// passes, from n samples of which passed did: 1 - C(n-passed, k) / C(n, k), computed as
// a product (Chen et al. 2021, "Evaluating Large Language Models Trained on Code",
// section 2.1). It reports false when the counts do not allow an estimate: k below 1,
// fewer than k samples, or passed outside of 0 to n.
func PassAtK(n, passed, k int) (float64, bool) {
	if k < 1 || n < k || passed < 0 || passed > n {
		return 0, false
	}
	if n-passed < k { // any k samples hold one that passes
		return 1, true
	}
	noneOf := 1.0
	for i := n - passed + 1; i <= n; i++ {
		noneOf *= 1 - float64(k)/float64(i)
	}
	return 1 - noneOf, true
}
