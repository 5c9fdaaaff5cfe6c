/** Where Codex keeps its settings, its login and its sessions. */
// biome-ignore lint/suspicious/noTemplateCurlyInString: the notation of expandPath
export const CODEX_HOME = '${CODEX_HOME:-~/.codex}';
