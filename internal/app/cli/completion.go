package cli

import (
	"fmt"
	"io"
	"strings"

	"tenor/internal/app/terminal"
)

type completionCommand struct {
	Shell string `arg:"" enum:"bash,zsh,fish,powershell" help:"bash, zsh, fish or powershell."`
}

func (completionCommand) Examples() []string {
	return []string{
		"completion bash >> ~/.bashrc", "completion zsh >> ~/.zshrc", "completion fish > ~/.config/fish/completions/tenor.fish",
		"completion powershell >> $PROFILE",
	}
}

// Run is called by the parser. The scripts contain no commands or flags: they query this program,
// so they are never out of date.
func (c *completionCommand) Run(a *terminal.App) error {
	scripts := map[string]string{"bash": bashScript, "zsh": zshScript, "fish": fishScript, "powershell": powershellScript}
	program := a.Program
	if strings.ContainsAny(program, " \t'\"\\$`") { // such as under go run: a shell completes only for a command's name
		program = "tenor"
	}
	name := program[strings.LastIndexByte(program, '/')+1:]
	text := strings.NewReplacer("{program}", program, "{name}", name).Replace(scripts[c.Shell])
	_, err := io.WriteString(a.Out, text)
	if err == nil && program != a.Program {
		fmt.Fprintf(a.Err, "Completion needs a command named tenor: go install ./cmd/tenor\n")
	}
	return err
}

// Each candidate is a line: the word, a tab, and its description. The cursor is at the last word,
// which may be empty.
const (
	bashScript = `_tenor_complete() {
	local IFS=$'\n' line
	local words=("${COMP_WORDS[@]:1:COMP_CWORD}")
	COMPREPLY=()
	# bash takes = for a word of its own
	while read -r line; do
		COMPREPLY+=("${line%%$'\t'*}")
	done < <({program} complete -- "${words[@]}" 2>/dev/null)
	if [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *= ]]; then
		compopt -o nospace
	fi
}
complete -o default -F _tenor_complete {name}
`
	zshScript = `#compdef {name}
_tenor_complete() {
	local -a candidates
	local line
	while IFS= read -r line; do
		candidates+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}")
	done < <({program} complete -- "${(@)words[2,CURRENT]}" 2>/dev/null)
	if (( ${#candidates} )); then
		_describe '{name}' candidates
	else
		_files
	fi
}
compdef _tenor_complete {name}
`
	fishScript = `function __tenor_complete
	set -l words (commandline -opc) (commandline -ct)
	{program} complete -- $words[2..-1] 2>/dev/null
end
complete -c {name} -a '(__tenor_complete)'
`
	powershellScript = `Register-ArgumentCompleter -Native -CommandName {name} -ScriptBlock {
	param($word, $ast, $position)
	$words = @($ast.CommandElements | Select-Object -Skip 1 | ForEach-Object { $_.ToString() })
	if ($word -eq '') { $words += '' }
	& {program} complete -- @words 2>$null | ForEach-Object {
		$parts = $_ -split [char]9, 2
		[System.Management.Automation.CompletionResult]::new($parts[0], $parts[0], 'ParameterValue', $(if ($parts[1]) { $parts[1] } else { $parts[0] }))
	}
}
`
)
