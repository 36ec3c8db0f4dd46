package config

import (
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// DiagnoseHook says whether a hook such as "custom_access_token" is on, and if not, what in the file is the likely cause. It
// takes a configuration that Load returned, or Partial of Load's error; nil stands for a file that could not be read.
func DiagnoseHook(c *Config, name string) HookState {
	s := HookState{Name: name}
	if c == nil {
		return s.because(HookUnreadableFile, Source{File: configPath}, "config.toml could not be read, so no hook is configured")
	}
	if hook := c.Hook(name); hook != nil {
		s.URI = hook.URI
		s.target()
		return c.diagnosePresent(s, hook)
	}
	return c.diagnoseAbsent(s)
}

// because completes the diagnosis.
func (s HookState) because(condition Condition, at Source, format string, args ...any) HookState {
	s.Condition, s.At, s.Cause = condition, at, fmt.Sprintf(format, args...)
	return s
}

// target fills in what the URI points at.
func (s *HookState) target() {
	if f, ok := ParseHookFunction(s.URI); ok {
		s.Function = &f
		return
	}
	parsed, err := url.Parse(s.URI)
	if err == nil && slices.Contains([]string{"http", "https"}, strings.ToLower(parsed.Scheme)) {
		s.HTTP = parsed
	}
}

// diagnosePresent judges a hook whose section is in the file, in the order in which CLI and Auth would stumble.
func (c *Config) diagnosePresent(s HookState, hook *Hook) HookState {
	section := "auth.hook." + s.Name
	at := c.layout.source(strings.Split(section, "."))
	enabled := c.values[section+".enabled"]
	if !hook.Enabled && enabled.Source.Kind == SourceDefault {
		return c.withoutSwitch(s, section, at)
	}
	if !hook.Enabled {
		return s.because(HookDisabled, enabled.Source, "%s.enabled is false (%s)", section, enabled.Source)
	}
	if v := c.values["auth.enabled"]; !c.Auth.Enabled {
		return s.because(HookAuthDisabled, v.Source, "the hook is enabled, but auth.enabled is false (%s), so Auth does not run", v.Source)
	}
	if hook.URI == "" {
		return s.because(HookNoURI, at, "the hook is enabled, but %s.uri is missing (section at %s)", section, at)
	}
	uri := c.values[section+".uri"].Source
	if fault := c.hookFault(section, hook); fault != nil {
		return s.because(HookBadURI, uri, "%s (%s)", fault.Message, uri)
	}
	if s.Function != nil && s.Function.Fault != "" {
		return s.because(HookStopsAuth, uri, "%s (%s)", s.Function.Fault, uri)
	}
	if s.HTTP != nil && httpFault(s.HTTP) != "" {
		return s.because(HookStopsAuth, uri, "%s (%s)", httpFault(s.HTTP), uri)
	}
	return s.because(HookEnabled, enabled.Source, "the hook is enabled (%s)", enabled.Source)
}

// withoutSwitch explains a section that leaves enabled out; the key may be there as a comment.
func (c *Config) withoutSwitch(s HookState, section string, at Source) HookState {
	s.Suggestion = "add enabled = true to [" + section + "]"
	if line := c.commentedKey(at.Line, "enabled"); line > 0 {
		return s.because(HookNoSwitch, at, "the section %s (%s) has no key enabled, which then is false: the line that sets it is a comment (%s:%d)",
			section, at, configPath, line)
	}
	return s.because(HookNoSwitch, at,
		"the section %s has no key enabled, which then is false (%s); %s has no effect on a key that the file lacks", section, at, override(section+".enabled"))
}

// hookFault runs the CLI's validation on one hook.
func (c *Config) hookFault(section string, hook *Hook) *Problem {
	v := &validator{Config: c}
	v.hook(section, hook)
	if len(v.problems) == 0 {
		return nil
	}
	return v.problems[0]
}

// diagnoseAbsent looks for what the author may have meant. The likeliest trace wins: a section that is really there under
// another name or remote, then text that only looks like a section.
func (c *Config) diagnoseAbsent(s HookState) HookState {
	section := "auth.hook." + s.Name
	s.Suggestion = fmt.Sprintf("add the section [%s] with enabled = true and a uri", section)
	if n := c.tree.find("auth", "hook", s.Name); n.isSection() {
		at := c.layout.source([]string{"auth", "hook", s.Name})
		return s.because(HookNoSwitch, at, "the section %s is empty, so the hook is off (%s)", section, at)
	}
	if remotes := c.tree.find("remotes"); remotes.isSection() {
		for _, name := range remotes.names() {
			if n := remotes.children[name].find("auth", "hook", s.Name); n.isSection() {
				at := c.layout.source([]string{"remotes", name, "auth", "hook", s.Name})
				return s.because(HookOtherRemote, at,
					"the hook is configured for the remote project %q only (%s), not for this one", name, at)
			}
		}
	}
	if near, at := c.misnamed(s.Name); near != "" {
		s.Suggestion = "rename it to [" + section + "]"
		return s.because(HookWrongName, at, "there is no section %s, but one named %s (%s)", section, near, at)
	}
	return c.textOnly(s, section)
}

// misnamed finds a section that the author probably took for the hook's: one whose last part is the hook's name in another
// place, or whose name in auth.hook is like it and is no hook itself.
func (c *Config) misnamed(name string) (section string, at Source) {
	c.tree.walk(nil, func(path []string, n *node) {
		_, _, known := lookupType(path)
		if section != "" || !n.isSection() || known {
			return // what the schema knows, such as [auth.email] or a function of the hook's name, is meant as it is
		}
		last := path[len(path)-1]
		parent := strings.Join(path[:len(path)-1], ".")
		moved := last == name && parent != "auth.hook"
		renamed := closest(last, HookNames()) == name && !slices.Contains(HookNames(), last) &&
			(parent == "auth" || parent == "" || strings.Contains(parent, "hook"))
		if moved || renamed {
			section, at = strings.Join(path, "."), c.layout.source(path)
		}
	})
	return section, at
}

// textOnly looks for the hook's header where TOML does not read it as one.
func (c *Config) textOnly(s HookState, section string) HookState {
	header := regexp.MustCompile(`(?i)^\s*(#[#\s]*)?\[\s*` + regexp.QuoteMeta(section) + `\s*\]|^\s*#[#\s]*` + regexp.QuoteMeta(section) + `\s*[.=]`)
	for i, text := range c.layout.lines {
		line := i + 1
		if !header.MatchString(text) {
			continue
		}
		at := Source{Kind: SourceFile, File: configPath, Line: line, Column: 1 + len(text) - len(strings.TrimLeft(text, " \t"))}
		if c.layout.inside[line] {
			return s.because(HookInString, at, "the section %s stands inside a multi-line string (%s), where it is text", section, at)
		}
		s.Suggestion = fmt.Sprintf("remove the # before the section at line %d and before its keys", line)
		return s.because(HookCommented, at, "the section %s is commented out (%s)", section, at)
	}
	return s.because(HookMissing, Source{}, "%s has no section %s, so the hook is off", configPath, section)
}

// commentedKey finds a commented-out assignment of a key in the section that starts at a line, 0 when there is none.
func (c *Config) commentedKey(start int, key string) int {
	assignment := regexp.MustCompile(`(?i)^\s*#[#\s]*` + regexp.QuoteMeta(key) + `\s*=`)
	for n := start + 1; n <= len(c.layout.lines); n++ {
		text := c.layout.line(n)
		if strings.HasPrefix(strings.TrimSpace(text), "[") {
			return 0
		}
		if assignment.MatchString(text) && !c.layout.inside[n] {
			return n
		}
	}
	return 0
}
