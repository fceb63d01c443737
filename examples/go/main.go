// Buys a still and a clip of it as one pipeline, with nothing but Temporal's own SDK.
//
//	go run . <key> <prompt>
//
// The key names the purchase: run it again with the same key, while it runs or after, and it attaches to what is there.
// TEMPORAL_ADDRESS, TEMPORAL_NAMESPACE and DARKROOM_TASK_QUEUE say where Darkroom's workers are.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	enums "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/converter"
	sdklog "go.temporal.io/sdk/log"
	"go.temporal.io/sdk/temporal"
)

type step struct {
	Model string `json:"model"`
	Input any    `json:"input"`
}

// A struct instead of a map: its fields keep their order in JSON, and so do the steps in the result.
type steps struct {
	Still step `json:"still"`
	Clip  step `json:"clip"`
}

type pipeline struct {
	Steps steps `json:"steps"`
}

type result struct {
	Status string                `json:"status"`
	Steps  map[string]stepResult `json:"steps"`
}

type stepResult struct {
	Status string `json:"status"`
	Result struct {
		Outputs []struct {
			Stored struct {
				URI string `json:"uri"`
			} `json:"stored"`
		} `json:"outputs"`
	} `json:"result"`
	Failure struct {
		Type string `json:"type"`
	} `json:"failure"`
}

type progress struct {
	Steps map[string]struct {
		Status string `json:"status"`
	} `json:"steps"`
}

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: go run . <key> <prompt>")
		os.Exit(2)
	}
	if err := film(context.Background(), os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func film(ctx context.Context, key, prompt string) error {
	c, err := client.Dial(client.Options{
		HostPort:  variable("TEMPORAL_ADDRESS", client.DefaultHostPort),
		Namespace: variable("TEMPORAL_NAMESPACE", client.DefaultNamespace),
		Logger:    quiet{},
	})
	if err != nil {
		return err
	}
	defer c.Close()

	id := "pipeline/" + key
	request := pipeline{Steps: steps{
		Still: step{"image-l", ImageLInput{Prompt: prompt}},
		Clip:  step{"video-f", VideoFInput{Prompt: "slow zoom", FirstFrameURL: Reference{From: "still"}}},
	}}
	digest, err := requestDigest(request)
	if err != nil {
		return err
	}
	run, err := c.ExecuteWorkflow(ctx, client.StartWorkflowOptions{
		ID:        id,
		TaskQueue: variable("DARKROOM_TASK_QUEUE", "darkroom"),
		// The default policy would start a closed id again, and buy again.
		WorkflowIDReusePolicy: enums.WORKFLOW_ID_REUSE_POLICY_REJECT_DUPLICATE,
		// Without it Go attaches to an open id without a word.
		WorkflowExecutionErrorWhenAlreadyStarted: true,
		Memo:                                     map[string]any{"request": digest},
	}, "pipeline", request)
	var started *serviceerror.WorkflowExecutionAlreadyStarted
	if errors.As(err, &started) {
		if err := refuseAnother(ctx, c, id, digest); err != nil {
			return err
		}
		fmt.Fprintln(os.Stderr, "attached")
		run = c.GetWorkflow(ctx, id, "")
	} else if err != nil {
		return err
	}

	following, stop := context.WithCancel(ctx)
	defer stop()
	go follow(following, c, id)

	made, err := resultOf(ctx, c, run)
	if err != nil {
		return told(err)
	}
	for _, name := range []string{"still", "clip"} {
		for _, output := range made.Steps[name].Result.Outputs {
			fmt.Printf("%s: %s\n", name, output.Stored.URI)
		}
	}
	return nil
}

// told names what failed, by the failure's type: the API's code, or one of Darkroom's.
func told(err error) error {
	var failure *temporal.ApplicationError
	if !errors.As(err, &failure) {
		return err // cancelled or terminated
	}
	if failure.Type() == "PIPELINE_FAILED" {
		var made result
		if failure.Details(&made) == nil {
			for name, step := range made.Steps {
				if step.Status == "FAILED" {
					fmt.Printf("%s: %s\n", name, step.Failure.Type)
				}
			}
		}
	}
	return fmt.Errorf("%s: %s", failure.Type(), failure.Message())
}

// refuseAnother compares what Temporal does not: the key may stand for another purchase, whose result would be handed out.
func refuseAnother(ctx context.Context, c client.Client, id, ours string) error {
	run, err := c.DescribeWorkflow(ctx, id, "")
	if err != nil {
		return err
	}
	var earlier string
	data := converter.GetDefaultDataConverter()
	if digest, found := run.Memo.GetFields()["request"]; found {
		err = data.FromPayload(digest, &earlier)
	} else { // its caller gave none
		earlier, err = digestOfRun(ctx, c, id)
	}
	if err == nil && earlier != ours {
		err = fmt.Errorf("KEY_IN_USE: %s stands for another request", id)
	}
	return err
}

// digestOfRun makes the digest of the request that a run was started with.
func digestOfRun(ctx context.Context, c client.Client, id string) (string, error) {
	started, err := c.GetWorkflowHistory(ctx, id, "", false, enums.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT).Next()
	if err != nil {
		return "", err
	}
	var request map[string]any
	input := started.GetWorkflowExecutionStartedEventAttributes().GetInput()
	if err := converter.GetDefaultDataConverter().FromPayloads(input, &request); err != nil {
		return "", err
	}
	return requestDigest(request)
}

// follow prints how each step stands, each time that it has changed, until its context ends. Queries are billed: the run
// is asked when there is news, at most once a second.
func follow(ctx context.Context, c client.Client, id string) {
	shown := map[string]string{}
	news := make(chan struct{}, 1)
	go hear(ctx, c, id, news)
	for {
		select {
		case <-ctx.Done():
			return
		case <-news:
		}
		var now progress
		if answer, err := c.QueryWorkflow(ctx, id, "", "progress"); err == nil && answer.Get(&now) == nil {
			for name, step := range now.Steps {
				if shown[name] != step.Status {
					shown[name] = step.Status
					fmt.Fprintf(os.Stderr, "%s: %s\n", name, step.Status)
				}
			}
		}
		pause(ctx)
	}
}

// hear tells when the run has done something, by long polls of its history: they are not billed.
func hear(ctx context.Context, c client.Client, id string, news chan<- struct{}) {
	for ; ctx.Err() == nil; pause(ctx) { // another run may go on in its place
		history := c.GetWorkflowHistory(ctx, id, "", true, enums.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
		for history.HasNext() {
			event, err := history.Next()
			if err != nil {
				break // Temporal is away
			}
			if event.GetEventType() != enums.EVENT_TYPE_WORKFLOW_TASK_COMPLETED {
				continue
			}
			select {
			case news <- struct{}{}:
			default: // there was news before that nobody has looked at
			}
		}
	}
}

// resultOf is the result of the run, or of the one that an operator's Reset has put in its place.
func resultOf(ctx context.Context, c client.Client, run client.WorkflowRun) (made result, err error) {
	for {
		err = run.Get(ctx, &made)
		var terminated *temporal.TerminatedError
		if !errors.As(err, &terminated) {
			return made, err
		}
		latest := c.GetWorkflow(ctx, run.GetID(), "")
		if latest.GetRunID() == run.GetRunID() {
			return made, err
		}
		run = latest
	}
}

func pause(ctx context.Context) {
	select {
	case <-ctx.Done():
	case <-time.After(time.Second):
	}
}

func variable(name, otherwise string) string {
	if value := os.Getenv(name); value != "" {
		return value
	}
	return otherwise
}

// quiet keeps the SDK's own lines off standard error.
type quiet struct{}

var _ sdklog.Logger = quiet{}

func (quiet) Debug(string, ...any) {}
func (quiet) Info(string, ...any)  {}
func (quiet) Warn(string, ...any)  {}
func (quiet) Error(string, ...any) {}
