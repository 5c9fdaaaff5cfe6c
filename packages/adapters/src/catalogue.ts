import { createRequire } from 'node:module';
import { type AdapterCard, type AgentAdapter, AgentMuxError } from '@agent-mux/core';

/** The agents that agent-mux knows by itself, by name: what is asked of all of them before any is loaded. */
const ROWS: readonly Omit<AdapterCard, 'load'>[] = [
  { agent: 'agent-mux-remote', displayName: 'agent-mux elsewhere', cliCommand: 'amux', modes: ['run'] },
  { agent: 'agy', displayName: 'Antigravity CLI', cliCommand: 'agy', modes: ['print'] },
  { agent: 'aider', displayName: 'Aider', cliCommand: 'aider', modes: ['message'] },
  { agent: 'amp', displayName: 'Amp', cliCommand: 'amp', modes: ['execute'] },
  { agent: 'auggie', displayName: 'Auggie', cliCommand: 'auggie', modes: ['acp'] },
  { agent: 'autohand', displayName: 'Autohand Code', cliCommand: 'autohand', modes: ['acp'] },
  {
    agent: 'claude',
    displayName: 'Claude Code',
    cliCommand: 'claude',
    modes: ['live', 'oneshot'],
    hostEnvSignals: [
      'CLAUDECODE',
      'CLAUDE_CODE_SESSION_ID',
      'CLAUDE_CODE_CHILD_SESSION',
      'CLAUDE_CODE_ENTRYPOINT',
      'CLAUDE_CODE_EXECPATH',
      'CLAUDE_CODE_SESSION_ATTENDED',
      'CLAUDE_CODE_MESSAGING_SOCKET',
      'CLAUDE_CODE_MESSAGING_TOKEN',
      'CLAUDE_EFFORT',
      'CLAUDE_PID',
    ],
  },
  {
    agent: 'claude-remote-control',
    displayName: 'Claude Code Remote Control',
    cliCommand: 'claude',
    modes: ['bridge'],
  },
  {
    agent: 'cline',
    displayName: 'Cline',
    cliCommand: 'cline',
    modes: ['json'],
    hostEnvSignals: ['CLINE_CONNECTOR_CLI_LAUNCH'],
  },
  {
    agent: 'codex',
    displayName: 'Codex',
    cliCommand: 'codex',
    modes: ['app-server', 'exec'],
    hostEnvSignals: [
      'CODEX_THREAD_ID',
      'CODEX_SESSION_ID',
      'CODEX_TOOL_CALL_ID',
      'CODEX_CI',
      'CODEX_VERSION',
      'CODEX_MANAGED_BY_NPM',
      'CODEX_MANAGED_PACKAGE_ROOT',
      'CODEX_PERMISSION_PROFILE',
      'CODEX_SANDBOX_NETWORK_DISABLED',
    ],
  },
  { agent: 'continue', displayName: 'Continue CLI', cliCommand: 'cn', modes: ['print'] },
  {
    agent: 'copilot',
    displayName: 'GitHub Copilot CLI',
    cliCommand: 'copilot',
    modes: ['acp', 'json'],
    hostEnvSignals: ['COPILOT_CLI', 'COPILOT_AGENT_SESSION_ID', 'COPILOT_CLI_BINARY_VERSION'],
  },
  { agent: 'crush', displayName: 'Crush', cliCommand: 'crush', modes: ['run'], hostEnvSignals: ['CRUSH'] },
  { agent: 'cursor', displayName: 'Cursor CLI', cliCommand: 'cursor-agent', modes: ['acp', 'stream-json'] },
  { agent: 'demo', displayName: 'Demo agent', cliCommand: process.execPath, modes: ['live'] },
  { agent: 'devin', displayName: 'Devin CLI', cliCommand: 'devin', modes: ['acp', 'print'] },
  {
    agent: 'droid',
    displayName: 'Droid',
    cliCommand: 'droid',
    modes: ['stream-jsonrpc', 'exec'],
    hostEnvSignals: ['FACTORY_EXEC_TARGET_AUTONOMY', 'FACTORY_DISABLE_SETTINGS_PERSISTENCE'],
  },
  {
    agent: 'gemini',
    displayName: 'Gemini CLI',
    cliCommand: 'gemini',
    modes: ['acp', 'stream-json'],
    hostEnvSignals: ['GEMINI_CLI', 'GEMINI_SESSION_ID', 'GEMINI_PROJECT_DIR', 'GEMINI_CWD'],
  },
  { agent: 'goose', displayName: 'goose', cliCommand: 'goose', modes: ['acp', 'run'] },
  {
    agent: 'grok',
    displayName: 'Grok Build',
    cliCommand: 'grok',
    modes: ['acp', 'messages'],
    hostEnvSignals: ['GROK_AGENT', 'GROK_SESSION_ID'],
  },
  { agent: 'hermes', displayName: 'Hermes Agent', cliCommand: 'hermes', modes: ['acp'] },
  {
    agent: 'kilo',
    displayName: 'Kilo Code',
    cliCommand: 'kilo',
    modes: ['serve', 'run'],
    hostEnvSignals: ['KILO', 'KILO_PID', 'KILO_RUN_ID', 'KILO_PROCESS_ROLE', 'KILOCODE_VERSION', 'KILOCODE_FEATURE'],
  },
  { agent: 'kimi', displayName: 'Kimi Code', cliCommand: 'kimi', modes: ['acp'] },
  {
    agent: 'kiro',
    displayName: 'Kiro CLI',
    cliCommand: 'kiro-cli',
    modes: ['acp', 'chat'],
    hostEnvSignals: ['KIRO_SESSION_ID'],
  },
  { agent: 'omp', displayName: 'oh-my-pi', cliCommand: 'omp', modes: ['rpc', 'json'], hostEnvSignals: ['OMPCODE'] },
  {
    agent: 'openclaw',
    displayName: 'OpenClaw',
    cliCommand: 'openclaw',
    modes: ['acp', 'exec'],
    hostEnvSignals: ['OPENCLAW_SHELL', 'OPENCLAW_CLI'],
  },
  {
    agent: 'opencode',
    displayName: 'OpenCode',
    cliCommand: 'opencode',
    modes: ['serve', 'run'],
    hostEnvSignals: ['OPENCODE', 'OPENCODE_PID'],
  },
  { agent: 'opencode-http', displayName: 'OpenCode (HTTP)', cliCommand: 'opencode', modes: ['http'] },
  {
    agent: 'pi',
    displayName: 'pi',
    cliCommand: 'pi',
    modes: ['rpc', 'json'],
    hostEnvSignals: [
      'PI_CODING_AGENT',
      'PI_SESSION_ID',
      'PI_SESSION_FILE',
      'PI_PROVIDER',
      'PI_MODEL',
      'PI_REASONING_LEVEL',
    ],
  },
  {
    agent: 'qwen',
    displayName: 'Qwen Code',
    cliCommand: 'qwen',
    modes: ['live', 'oneshot'],
    hostEnvSignals: [
      'QWEN_CODE',
      'QWEN_CODE_SESSION_ID',
      'QWEN_CODE_MODEL',
      'QWEN_CODE_PROMPT_ID',
      'QWEN_CODE_CLI',
      'QWEN_CODE_PROJECT_DIR',
      'QWEN_CODE_AGENT_ID',
      'QWEN_CODE_LAUNCHER_PID',
      'QWEN_CODE_MANAGED_NPM_PIN',
    ],
  },
  { agent: 'roo', displayName: 'Roo Code CLI', cliCommand: 'roo', modes: ['print'] },
  { agent: 'vibe', displayName: 'Mistral Vibe', cliCommand: 'vibe', modes: ['acp', 'programmatic'] },
];

const require = createRequire(import.meta.url);

/** Each is loaded, synchronously, when it is named for the first time: folders are called like their agents. */
export const BUILT_IN_CARDS: readonly AdapterCard[] = ROWS.map((row) => ({
  ...row,
  load: () => loadAdapter(row.agent),
}));

export function builtInAdapters(): AgentAdapter[] {
  return BUILT_IN_CARDS.map(({ load }) => load());
}

function loadAdapter(agent: string): AgentAdapter {
  const exported: Record<string, unknown> = require(`#agents/${agent}`);
  const adapter = Object.values(exported).flatMap((value) => adapterIn(value, agent))[0];
  if (adapter) return adapter;
  throw new AgentMuxError('INTERNAL_ERROR', `the module of agent "${agent}" has no adapter`, { agent });
}

function adapterIn(value: unknown, agent: string): AgentAdapter | [] {
  if (typeof value === 'function' && /Adapter$/.test(value.name)) return new (value as new () => AgentAdapter)();
  const isOne = typeof value === 'object' && value !== null && 'agent' in value && value.agent === agent;
  return isOne ? (value as AgentAdapter) : [];
}
