import { describe, expect, it } from 'vitest';
import { evaluate, type PermissionRule, sessionRules, subagentsOf, unaskedPermissions } from './permissions.ts';

const BUILT_IN: PermissionRule[] = [
  { permission: '*', pattern: '*', action: 'allow' },
  { permission: 'external_directory', pattern: '*', action: 'ask' },
  { permission: 'read', pattern: '*', action: 'allow' },
  { permission: 'read', pattern: '*.env', action: 'ask' },
];

const decide = (mode: Parameters<typeof sessionRules>[0]['mode'], users: PermissionRule[] = [], rest = {}) => {
  const rules = sessionRules({
    mode,
    agentRules: [...BUILT_IN, ...users],
    subagents: {},
    deniedTools: [],
    addDirs: [],
    ...rest,
  });
  // As the server does it: the agent's own rules first.
  return (permission: string, pattern = 'x') => evaluate([...BUILT_IN, ...users, ...rules], permission, pattern);
};

describe('rules of a session', () => {
  it.each([
    ['prompt', { bash: 'ask', edit: 'ask', webfetch: 'ask', task: 'ask', some_mcp_tool: 'ask', read: 'allow' }],
    ['accept-edits', { bash: 'ask', edit: 'allow', webfetch: 'ask', some_mcp_tool: 'ask', grep: 'allow' }],
    ['plan', { bash: 'deny', edit: 'deny', webfetch: 'deny', task: 'deny', some_mcp_tool: 'deny', glob: 'allow' }],
    ['deny', { bash: 'ask', edit: 'ask', task: 'ask', some_mcp_tool: 'ask', question: 'allow' }],
    ['yolo', { bash: 'allow', edit: 'allow', some_mcp_tool: 'allow', external_directory: 'ask' }],
  ] as const)('in %s mode', (mode, expected) => {
    const decided = decide(mode);
    for (const [permission, action] of Object.entries(expected))
      expect([permission, decided(permission)]).toEqual([permission, action]);
  });

  it('never loosen what the user has denied', () => {
    const users: PermissionRule[] = [
      { permission: 'bash', pattern: '*', action: 'allow' },
      { permission: 'bash', pattern: 'curl *', action: 'deny' },
      { permission: 'edit', pattern: 'secrets/*', action: 'deny' },
    ];
    for (const mode of ['prompt', 'accept-edits', 'yolo'] as const) {
      const decided = decide(mode, users);
      expect(decided('bash', 'curl x')).toBe('deny');
      expect(decided('edit', 'secrets/key')).toBe('deny');
    }
    expect(decide('prompt', users)('bash', 'ls')).toBe('ask');
  });

  it('leave secrets and folders outside the project to the user, except additional folders', () => {
    const decided = decide('yolo', [], { addDirs: ['/other/'] });
    expect(decided('read', 'a/.env')).toBe('ask');
    expect(decided('external_directory', '/outside/x')).toBe('ask');
    expect(decided('external_directory', '/other/x')).toBe('allow');
  });

  it('deny a tool by its permission, whatever the mode', () => {
    const decided = decide('yolo', [], { deniedTools: ['write', 'bash'] });
    expect([decided('edit'), decided('bash'), decided('webfetch')]).toEqual(['deny', 'deny', 'allow']);
  });
});

describe('subagents, which the rules of a session do not reach', () => {
  const ask = { permission: '*', pattern: '*', action: 'ask' };
  const agents = [
    { name: 'build', mode: 'primary', permission: BUILT_IN },
    { name: 'free', mode: 'subagent', permission: BUILT_IN },
    { name: 'tame', mode: 'subagent', permission: [...BUILT_IN, ask] },
    {
      name: 'wild',
      mode: 'all',
      permission: [...BUILT_IN, ask, { permission: 'bash', pattern: '*', action: 'allow' }],
    },
    {
      name: 'calm',
      mode: 'all',
      permission: [
        ...BUILT_IN,
        ask,
        { permission: 'bash', pattern: '*', action: 'allow' },
        { permission: 'bash', pattern: '*', action: 'deny' },
      ],
    },
  ];
  const subagents = subagentsOf(agents);

  it('are not started if they may do without asking what needs approval', () => {
    const decided = decide('prompt', [], { subagents });
    expect(['free', 'tame', 'wild', 'calm'].map((name) => decided('task', name))).toEqual([
      'deny',
      'ask',
      'deny',
      'ask',
    ]);
  });

  it('are started if everything is allowed', () => {
    const decided = decide('yolo', [], { subagents });
    expect(['free', 'tame', 'wild'].map((name) => decided('task', name))).toEqual(['allow', 'allow', 'allow']);
  });
});

describe('rules of a process that cannot ask', () => {
  it('deny requests', () => {
    expect(unaskedPermissions('accept-edits', [])).toMatchObject({ '*': 'deny', edit: 'allow', read: 'allow' });
    expect(unaskedPermissions('yolo', ['bash'])).toEqual({ '*': 'allow', bash: 'deny' });
  });
});
