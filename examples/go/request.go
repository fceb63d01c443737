package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"
)

// What Go writes otherwise than RFC 8785.
var unescape = strings.NewReplacer(`\\`, `\\`, `\u2028`, "\u2028", `\u2029`, "\u2029", "\n", "")

// requestDigest is the same for two requests that are the same purchase: policies, tags and budgets may differ. With it
// in the memo of its run, any caller sees what a key was used for.
func requestDigest(request any) (string, error) {
	given, err := json.Marshal(request)
	if err != nil {
		return "", err
	}
	var fields map[string]any
	if err := json.Unmarshal(given, &fields); err != nil {
		return "", err
	}
	purchase := map[string]any{"workspace": "default"}
	for _, name := range []string{"model", "input", "templateId", "steps", "params", "workspace"} {
		if value, found := fields[name]; found {
			purchase[name] = value
		}
	}
	steps, _ := purchase["steps"].(map[string]any)
	for _, step := range steps {
		if step, ok := step.(map[string]any); ok {
			delete(step, "policy")
		}
	}
	var canonical bytes.Buffer // JSON as RFC 8785 writes it
	encoder := json.NewEncoder(&canonical)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(purchase); err != nil {
		return "", err
	}
	digest := sha256.Sum256([]byte(unescape.Replace(canonical.String())))
	return hex.EncodeToString(digest[:]), nil
}
