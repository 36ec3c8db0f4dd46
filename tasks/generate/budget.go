package generate

import (
	"context"
	"fmt"
	"sync"
)

// BudgetError says that the budget allows no further request.
type BudgetError struct {
	// Tokens and Dollars are what the samples of the model have cost so far.
	Tokens  int64
	Dollars float64
	// Next is how many tokens the next request may take at most.
	Next int64
	// Budget is what was allowed.
	Budget Budget
}

// Error says what is spent and what was allowed.
func (e *BudgetError) Error() string {
	spent := fmt.Sprintf("%d tokens", e.Tokens)
	allowed := fmt.Sprintf("%d tokens", e.Budget.Tokens)
	if e.Budget.Dollars > 0 {
		spent, allowed = fmt.Sprintf("$%.4f", e.Dollars), fmt.Sprintf("$%.4f", e.Budget.Dollars)
		if e.Budget.Tokens > 0 {
			spent += fmt.Sprintf(" and %d tokens", e.Tokens)
			allowed += fmt.Sprintf(" and %d tokens", e.Budget.Tokens)
		}
	}
	return fmt.Sprintf("the budget is used up: %s of %s are spent, and the next request may take up to %d tokens", spent, allowed, e.Next)
}

// Hint says what to do about it.
func (e *BudgetError) Hint() string {
	return "run again with a larger budget, or with shorter answers, to go on; what was answered is kept"
}

// charge is what a request costs, or may cost at most.
type charge struct{ input, output int64 }

// bytesPerToken is how many bytes of English or SQL make a token, on the low side, so
// that estimates are high.
const bytesPerToken = 3

// estimate is the charge of texts whose tokens nobody counted.
func estimate(prompt, answer string) charge {
	return charge{int64(len(prompt)/bytesPerToken) + 1, int64(len(answer)/bytesPerToken) + 1}
}

func (b Budget) dollars(c charge) float64 {
	const million = 1e6
	return float64(c.input)/million*b.InputPrice + float64(c.output)/million*b.OutputPrice
}

// exceeded reports whether a sum of charges is more than the budget allows.
func (b Budget) exceeded(c charge) bool {
	return b.Tokens > 0 && c.input+c.output > b.Tokens || b.Dollars > 0 && b.dollars(c) > b.Dollars
}

// purse holds a budget: requests under way keep what they may cost reserved.
type purse struct {
	budget Budget

	mu       sync.Mutex
	spent    charge
	reserved charge
	// freed is closed and replaced when a reservation ends.
	freed chan struct{}
}

func newPurse(budget Budget, spent charge) *purse {
	return &purse{budget: budget, spent: spent, freed: make(chan struct{})}
}

// reserve waits until the most that a request may cost fits into the budget beside what
// is spent and reserved. The error is a *BudgetError when it cannot fit, whatever the
// requests under way turn out to cost.
func (p *purse) reserve(ctx context.Context, most charge) error {
	for {
		p.mu.Lock()
		spent := p.spent
		spent.add(most)
		if p.budget.exceeded(spent) {
			err := &BudgetError{
				Tokens: p.spent.input + p.spent.output, Dollars: p.budget.dollars(p.spent),
				Next: most.input + most.output, Budget: p.budget,
			}
			p.mu.Unlock()
			return err
		}
		spent.add(p.reserved)
		if !p.budget.exceeded(spent) {
			p.reserved.add(most)
			p.mu.Unlock()
			return nil
		}
		freed := p.freed
		p.mu.Unlock()
		select {
		case <-freed:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// settle ends a reservation with what the request did cost.
func (p *purse) settle(most, cost charge) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.reserved.add(charge{-most.input, -most.output})
	p.spent.add(cost)
	close(p.freed)
	p.freed = make(chan struct{})
}

// total is what has been spent.
func (p *purse) total() charge {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.spent
}

func (c *charge) add(other charge) {
	c.input += other.input
	c.output += other.output
}
