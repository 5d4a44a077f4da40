/**
 * The completion scripts: a few lines for each shell, which ask `vp complete`.
 *
 * Rejected: one script with all names in it, which knows no ids, grows with each flag and differs for each shell.
 */

const bash = `# Completion of vp for bash. In ~/.bashrc: source <(vp completion bash)
_vp() {
  local line current="\${COMP_WORDS[COMP_CWORD]}"
  COMPREPLY=()
  while IFS= read -r line; do
    if [ "$line" = :files ]; then
      compopt -o filenames 2>/dev/null
      while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen -f -- "$current")
    else
      line="\${line%%$'\\t'*}"
      # bash completes what follows an equals sign.
      case "$line" in --*=*) line="\${line#*=}" ;; esac
      COMPREPLY+=("$line")
    fi
  done < <(vp complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _vp vp
`;

const zsh = `#compdef vp
# Completion of vp for zsh. In ~/.zshrc: source <(vp completion zsh)
_vp() {
  local line value files=0
  local -a candidates
  while IFS= read -r line; do
    if [[ $line == :files ]]; then
      files=1
    else
      value="\${line%%$'\\t'*}"
      candidates+=("\${value//:/\\\\:}:\${line#*$'\\t'}")
    fi
  done < <(vp complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)
  (( $#candidates )) && _describe vp candidates
  (( files )) && _files
  return 0
}
(( $+functions[compdef] )) || { autoload -U compinit && compinit }
compdef _vp vp
`;

const fish = `# Completion of vp for fish. In ~/.config/fish/config.fish: vp completion fish | source
function __vp_complete
    set -l words (commandline -opc) (commandline -ct)
    for line in (vp complete -- $words[2..-1] 2>/dev/null)
        if test "$line" = :files
            __fish_complete_path (commandline -ct)
        else
            echo $line
        end
    end
end
complete -c vp -f -a '(__vp_complete)'
`;

const powershell = `# Completion of vp for PowerShell. In $PROFILE: vp completion powershell | Out-String | Invoke-Expression
Register-ArgumentCompleter -Native -CommandName @('vp', 'vp.exe') -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    $before = $commandAst.CommandElements | Where-Object { $_.Extent.StartOffset -lt $cursorPosition }
    $words = @($before | Select-Object -Skip 1 | ForEach-Object { $_.Extent.Text })
    # An empty last word does not reach a native program in Windows PowerShell.
    $next = @(if ($wordToComplete -eq '') { '--next' })
    & vp complete @next -- @words 2>$null | Where-Object { $_ -ne ':files' } | ForEach-Object {
        $value, $describe = $_ -split "\`t", 2
        if (-not $describe) { $describe = $value }
        [System.Management.Automation.CompletionResult]::new($value, $value, 'ParameterValue', $describe)
    }
}
`;

export const completionScripts = { bash, zsh, fish, powershell } as const;
