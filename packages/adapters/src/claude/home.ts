/** Settings, sessions and logins. */
export const CONFIG_HOME = '{CLAUDE_CONFIG_DIR:-~/.claude}';
/**
 * State file of the CLI, with the account and the user's MCP servers: in the home folder, unless the config folder is
 * moved.
 */
export const STATE_FILE = '{CLAUDE_CONFIG_DIR:-~}/.claude.json';
