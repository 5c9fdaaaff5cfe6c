/** Where Claude Code keeps its settings, its login and its sessions, in the notation of `expandPath`. */
export const CONFIG_HOME = '{CLAUDE_CONFIG_DIR:-~/.claude}';
