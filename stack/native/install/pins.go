package install

// pinned is the SHA-256 of an archive that this program vouches for, by file name.
// A digest is here only when somebody else has published it:
//
//   - auth 2.192.0 to 2.194.0: the section "Checksums" of the release's own page,
//     https://github.com/supabase/auth/releases/tag/v2.194.0 and so on
//   - postgrest 14.1 and 14.5: ansible/vars.yml of https://github.com/supabase/postgres,
//     pull requests 1909 and 2127
//   - postgrest 14.17 for linux/amd64: the digest on the release's page, as several
//     projects that install it quote it, one after comparing the executable inside with
//     the one in the image postgrest/postgrest:v14.17
func pinned(asset string) (string, bool) {
	digest, ok := map[string]string{
		"postgrest-v14.1-linux-static-x86-64.tar.xz":  "bdab6ab3389ca0d6c1f3b8363491674dbca71875c3f30261d92d8fecdde35277",
		"postgrest-v14.1-ubuntu-aarch64.tar.xz":       "68885d936873059b946afadaae697467daedacd7d8e697a80b7f0f6881c9c92f",
		"postgrest-v14.5-linux-static-x86-64.tar.xz":  "ab5cc7e974d4940447991804588cfb8b3f7b2c57b691f0905df04d51ede69470",
		"postgrest-v14.5-ubuntu-aarch64.tar.xz":       "70c07ff875710538903c9b6b6de00e126250e335da25b0ff7d1b13bb4c94bf41",
		"postgrest-v14.17-linux-static-x86-64.tar.xz": "d6e13926457487c99b77366d795dcfa32700554d08d418131d9a4ea3f6ca25e3",
		"auth-v2.192.0-x86.tar.gz":                    "fe6c86b90c725455d38727017f2ecbf98d0286f71e56a4a450fdcdebc61f75d0",
		"auth-v2.192.0-arm64.tar.gz":                  "60e0bc75b3368c07f9fe40236c991e0983b0f284e94d12e81fe23684ef9d6ed0",
		"auth-v2.193.0-x86.tar.gz":                    "69f70343082e310ade768c573616d6f998213b583a3aa8a8a7a79a11935eabfc",
		"auth-v2.193.0-arm64.tar.gz":                  "1fcf0874066d87097cfde758359da626b55b15b31a83f49347afc9299da2542e",
		"auth-v2.193.1-x86.tar.gz":                    "2d998fe99928ab764d4a5cb857d2ffa4ca504a05afba0b5405202a0fc76b4761",
		"auth-v2.193.1-arm64.tar.gz":                  "fc36ca4f696aea16d53403b368a1a8c3c0e34956a1090d54e16c3c306c8c543b",
		"auth-v2.193.1-darwin-arm64.tar.gz":           "95c021fcae63ba879ec1af9fefe43ccee33f355ac944fd322a7350a80c0d11e7",
		"auth-v2.194.0-x86.tar.gz":                    "fd5aae87c3897d662db414cbd7cf7e5389b391a0bde5dfa6b6707ac66033c356",
		"auth-v2.194.0-arm64.tar.gz":                  "3dd99287b5449d4ca7ebf0687bd670422e601a2ce9dcb4a27d503d0fc104cb38",
		"auth-v2.194.0-darwin-arm64.tar.gz":           "4d3b55133614e97cb139f08dd8d2bcecb4dd82ee9a8fefea985a790aabf5f28b",
	}[asset]
	return digest, ok
}
