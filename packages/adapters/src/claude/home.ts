/** Settings, sessions and logins. */
export const CONFIG_HOME = '{CLAUDE_CONFIG_DIR:-~/.claude}';
/** What the CLI keeps itself, with the account and the user's MCP servers: in the home folder, unless that of the config is moved. */
export const STATE_FILE = '{CLAUDE_CONFIG_DIR:-~}/.claude.json';
