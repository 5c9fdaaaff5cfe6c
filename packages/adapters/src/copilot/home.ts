/** Where Copilot keeps its settings and its sessions, in the notation of `expandPath`. */
export const COPILOT_HOME = '{COPILOT_HOME:-~/.copilot}';
