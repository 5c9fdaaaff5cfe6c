/** Where Codex keeps its settings, its login and its sessions, in the notation of `expandPath`. */
export const CODEX_HOME = '{CODEX_HOME:-~/.codex}';
