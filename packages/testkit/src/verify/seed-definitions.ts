/** An agent definition of a configuration file. */
export interface WrittenDefinition {
  id: string;
  name: string;
  profile: string;
  [key: string]: unknown;
}

/** One of each profile, exactly as in the seed document: they must run unchanged. */
export const seedDefinitions: readonly WrittenDefinition[] = [
  {
    id: 'my-agent',
    name: 'My CLI Agent',
    profile: 'generic-cli',
    cli: {
      command: '/usr/local/bin/my-agent',
      args: ['--interactive', '--no-color'],
      work_dir: '/home/user/projects',
      env: {
        AGENT_MODE: 'chat',
      },
      spawn_policy: 'per-session',
    },
  },
  {
    id: 'batch-runner',
    name: 'Batch Runner',
    profile: 'generic-job',
    job: {
      command: '/usr/local/bin/batch-job',
      args: ['--output-json'],
      work_dir: '/tmp/jobs',
      env: {},
      max_runtime: '5m',
    },
  },
  {
    id: 'llm-proxy',
    name: 'LLM Proxy',
    profile: 'generic-http',
    http: {
      base_url: 'https://api.example.com/v1/chat',
      method: 'POST',
      headers: {
        Authorization: 'Bearer sk-...',
        'Content-Type': 'application/json',
      },
      timeout: '60s',
    },
  },
  {
    id: 'custom-agent',
    name: 'Custom Agent',
    profile: 'external',
    external: {
      command: '/usr/local/bin/my-adapter',
      args: ['--mode', 'jsonl'],
      work_dir: '/opt/agents',
      env: {
        LOG_LEVEL: 'debug',
      },
    },
  },
  {
    id: 'claude',
    name: 'Claude Code',
    profile: 'claude-code',
    claude_code: {
      command: 'claude',
      work_dir: '/home/user/projects',
      env: {},
      model: 'sonnet',
      permission_mode: 'dangerously-skip-permissions',
      max_turns: 50,
      allowed_tools: ['Read', 'Write', 'Bash'],
      system_prompt: 'You are a helpful coding assistant.',
    },
  },
  {
    id: 'copilot',
    name: 'GitHub Copilot',
    profile: 'github-copilot',
    copilot: {
      command: 'copilot',
      work_dir: '/home/user/projects',
      env: {},
      model: 'claude-sonnet-4.5',
      allowed_tools: ['fs_read', 'fs_write'],
      denied_tools: ['shell_execute'],
    },
  },
  {
    id: 'codex',
    name: 'OpenAI Codex',
    profile: 'codex',
    codex: {
      command: 'codex',
      work_dir: '/home/user/projects',
      env: {},
      model: 'gpt-5',
      approval_mode: 'on-request',
      sandbox_mode: 'workspace-write',
    },
  },
  {
    id: 'kilo',
    name: 'Kilo Code',
    profile: 'kilo-code',
    kilo: {
      command: 'kilo',
      work_dir: '/home/user/projects',
      env: {
        KILO_MODEL: 'anthropic/claude-sonnet-4',
        KILO_PROVIDER: 'anthropic',
      },
      model: 'anthropic/claude-sonnet-4',
      provider: 'anthropic',
    },
  },
];

export function seedDefinition(id: string): WrittenDefinition {
  const found = seedDefinitions.find((definition) => definition.id === id);
  if (!found) throw new Error(`no definition ${id}`);
  return found;
}

/** The same with other paths: a test machine has neither those folders nor that server. */
export function substitute<Value>(definition: Value, places: Readonly<Record<string, string>>): Value {
  const moved = Object.entries(places).reduce(
    (text, [from, to]) => text.replaceAll(from, to),
    JSON.stringify(definition),
  );
  return JSON.parse(moved);
}
