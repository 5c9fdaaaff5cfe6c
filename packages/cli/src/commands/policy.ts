import { TOOL_KINDS } from '@agent-mux/core';
import { type Command, JSON_FLAG } from '../command.ts';
import { defineSubcommands } from '../subcommands.ts';

const list = { type: 'string', multiple: true } as const;

export const policy: Command = defineSubcommands({
  name: 'policy',
  description:
    'Manages the rules that answer approval requests. Your rules are in\n' +
    "~/.config/agent-mux/config.json, a project's in .agent-mux/config.json. Requests that match no\n" +
    'rule ask you.',
  flags: {
    name: { type: 'string', value: 'NAME', help: 'Rule name, shown in output and in the audit log' },
    kind: { ...list, value: 'KIND', values: TOOL_KINDS, help: `Kind of tool: ${TOOL_KINDS.join(', ')}` },
    agent: { ...list, value: 'NAME', help: 'Agent the rule applies to' },
    tool: { ...list, value: 'TOOL', help: "The agent's tool name; * matches any characters" },
    pattern: {
      ...list,
      value: 'P',
      help: 'Command, path, URL or server/tool; * matches any characters',
    },
    folder: { ...list, value: 'DIR', help: 'Applies to sessions in or below this folder' },
    'allow-field': { ...list, value: 'FIELD', help: 'Extra request field the rule may allow' },
    project: { type: 'boolean', help: "Edit the project's file instead of yours; ask and deny only" },
    cwd: { type: 'string', short: 'C', value: 'DIR', help: 'Evaluate for this folder (default: current)' },
    session: { type: 'string', value: 'ID', help: 'Include answers remembered for this session' },
    all: { type: 'boolean', help: 'Forget all remembered answers' },
    'trust-project': { type: 'boolean', help: "Apply the project's allow rules too (or AMUX_TRUST_PROJECT=1)" },
    json: JSON_FLAG,
  },
  actions: {
    list: {
      usage: '[--cwd DIR]',
      about: 'List rules in order, and remembered answers',
      maxArgs: 0,
      flags: ['cwd'],
      run: async (options) => (await import('../policy/list.ts')).listPolicy(options),
    },
    add: {
      usage: 'allow|ask|deny [--name NAME] [--kind KIND] [--pattern P] ...',
      about: 'Add a rule: allow rules at the end, others at the start',
      minArgs: 1,
      maxArgs: 1,
      flags: ['name', 'kind', 'agent', 'tool', 'pattern', 'folder', 'allow-field', 'project', 'cwd'],
      run: async (options) => (await import('../policy/change.ts')).addPolicyRule(options),
    },
    test: {
      usage: '[RESOURCE] --kind KIND [--agent NAME] [--tool TOOL] [--cwd DIR]',
      about: 'Show the decision for a request and the matching rule',
      maxArgs: 1,
      flags: ['kind', 'agent', 'tool', 'cwd', 'session'],
      run: async (options) => (await import('../policy/test-request.ts')).testPolicy(options),
    },
    remove: {
      usage: 'NAME [--project]',
      about: 'Remove a rule',
      minArgs: 1,
      maxArgs: 1,
      flags: ['project', 'cwd'],
      run: async (options) => (await import('../policy/change.ts')).removePolicyRule(options),
    },
    forget: {
      usage: 'ID|--all',
      about: 'Forget remembered answers',
      maxArgs: 1,
      flags: ['all'],
      run: async (options) => (await import('../policy/change.ts')).forgetAnswers(options),
    },
  },
  fallback: 'list',
  examples: [
    { command: 'amux policy add allow --kind read', about: "Allow reads in the session's folder" },
    { command: "amux policy add allow --kind execute --pattern 'npm test' --name tests", about: 'Allow one command' },
    {
      command: "amux policy add deny --kind execute --pattern 'rm *' --name no-rm",
      about: 'Deny a command anywhere in a command line',
    },
    { command: "amux policy add ask --pattern '.env' --project", about: 'Always ask, for everyone on this project' },
    { command: 'amux policy test "git status; rm -rf ~" --kind execute --agent claude', about: 'Test a request' },
    { command: 'amux policy', about: 'List rules and remembered answers' },
    { command: 'amux policy forget 3f2a', about: 'Forget a remembered answer' },
  ],
  notes: [
    "In each file, the first matching rule applies; between your file and the project's, the stricter",
    'one. An allow pattern for commands covers one simple command: nothing after ; | & > or in',
    '$(...). A deny pattern matches anywhere. Rules only apply to what an agent asks; in',
    '--approval-mode yolo most agents ask nothing. See docs/policy.md.',
  ],
});
