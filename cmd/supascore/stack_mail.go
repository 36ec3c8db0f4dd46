package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"

	"github.com/spf13/cobra"

	"github.com/supascore/supascore/stack"
	"github.com/supascore/supascore/stack/auth/mailbox"
	"github.com/supascore/supascore/stack/detached"
)

// maxMail bounds how much of a mailbox is read, in bytes.
const maxMail = 64 << 20

func (a *app) stackMailCommand() *cobra.Command {
	var to string
	var asJSON bool
	c := &cobra.Command{
		Use:   "mail",
		Short: "List the mails that the stack's Auth would have sent",
		Long: `List the mails and text messages that the stack's Auth would have sent: nothing leaves
the stack, and tests can follow the links and enter the codes. The same list is at
/mail/v1/ of the API URL, for requests with the secret key as apikey.`,
		Args: noArgs,
	}
	workspace := workspaceFlag(c)
	c.Flags().StringVar(&to, "to", "", "only messages to this address or number")
	c.Flags().BoolVar(&asJSON, "json", false, "as JSON")
	c.RunE = func(c *cobra.Command, _ []string) error {
		state, err := detached.Find(*workspace)
		if err != nil {
			return notRunning(c, err)
		}
		messages, err := readMail(c.Context(), state.Endpoints, to)
		if err != nil {
			return err
		}
		if asJSON {
			encoder := json.NewEncoder(a.stdout)
			encoder.SetIndent("", "  ")
			return encoder.Encode(messages)
		}
		for _, m := range messages {
			a.out.message(m)
		}
		return nil
	}
	return c
}

// readMail asks a running stack for its messages.
func readMail(ctx context.Context, e stack.Endpoints, to string) ([]mailbox.Message, error) {
	address := e.APIURL + "/mail/v1/?to=" + url.QueryEscape(to)
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Apikey", e.Keys.Secret)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, fmt.Errorf("read the mailbox: %w", err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxMail))
	if err != nil {
		return nil, fmt.Errorf("read the mailbox: %w", err)
	}
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("read the mailbox: %s: %s", resp.Status, body)
	}
	var messages []mailbox.Message
	if err := json.Unmarshal(body, &messages); err != nil {
		return nil, fmt.Errorf("read the mailbox: %w", err)
	}
	return messages, nil
}

// message shows one message: what it is, and what one does with it.
func (p *printer) message(m mailbox.Message) {
	p.printf("%s  %s  %s\n", m.SentAt.Format("15:04:05"), m.To, m.Kind)
	if m.Code != "" {
		p.printf("  code %s\n", m.Code)
	}
	if m.Link != "" {
		p.printf("  link %s\n", m.Link)
	}
}
