/** Completion scripts. They call `amux complete` under the name that was typed. */
export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

/** Commands that install the scripts permanently. */
export const INSTALL: Readonly<Record<Shell, string>> = {
  bash: `echo 'source <(amux completion bash)' >> ~/.bashrc`,
  zsh: `echo 'source <(amux completion zsh)' >> ~/.zshrc   # after compinit`,
  fish: 'amux completion fish > ~/.config/fish/completions/amux.fish',
};

/** Special candidate: the shell completes paths. */
export const FILES = ':files';

const BASH = `# bash completion of amux
_amux() {
  local current="\${COMP_WORDS[COMP_CWORD]}" word
  [[ $current == '=' ]] && current=''
  COMPREPLY=()
  while IFS=$'\\t' read -r word _; do
    if [[ $word == '${FILES}' ]]; then
      compopt -o filenames 2>/dev/null
      while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -f -- "$current")
    else
      [[ $word == *= ]] && compopt -o nospace 2>/dev/null
      COMPREPLY+=("$word")
    fi
  done < <("\${COMP_WORDS[0]}" complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _amux amux
`;

const ZSH = `#compdef amux
_amux() {
  local line files
  local -a described
  for line in "\${(@f)$("\${words[1]}" complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
    if [[ $line == '${FILES}' ]]; then
      files=1
    elif [[ -n $line ]]; then
      described+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}")
    fi
  done
  (( $#described )) && _describe -o amux described
  [[ -n $files ]] && _files
}
if [[ $funcstack[1] == _amux ]]; then _amux "$@"; else compdef _amux amux; fi
`;

const FISH = `# fish completion of amux
function __amux_complete
  set -l words (commandline -opc)
  set -l current (commandline -ct)
  set -l name $words[1]
  set -e words[1]
  for line in ($name complete -- $words "$current" 2>/dev/null)
    if test "$line" = '${FILES}'
      __fish_complete_path "$current"
    else
      echo $line
    end
  end
end
complete -c amux -f -a '(__amux_complete)'
`;

export const SCRIPTS: Readonly<Record<Shell, string>> = { bash: BASH, zsh: ZSH, fish: FISH };
