import { TOOL_KINDS } from '@agent-mux/core';
import { commandOfActions } from '../actions.ts';
import { type Command, JSON_FLAG } from '../command.ts';

const list = { type: 'string', multiple: true } as const;

export const policy: Command = commandOfActions({
  name: 'policy',
  about:
    'Rules that answer what agents ask, and answers that were remembered. Your own rules are in\n' +
    '~/.config/agent-mux/config.json, those of a project in its .agent-mux/config.json. Where nothing matches, you are asked.',
  flags: {
    name: { type: 'string', value: 'NAME', help: 'What the rule is called, in outputs and in the audit log.' },
    kind: { ...list, value: 'KIND', values: TOOL_KINDS, help: `What the tool does: ${TOOL_KINDS.join(', ')}.` },
    agent: { ...list, value: 'NAME', help: 'Of which agent.' },
    tool: { ...list, value: 'TOOL', help: "The agent's own name of the tool; * stands for any characters." },
    pattern: {
      ...list,
      value: 'P',
      help: 'A command, a path, an address or server/tool; * stands for any characters.',
    },
    folder: { ...list, value: 'DIR', help: 'For sessions in this folder, or below.' },
    also: { ...list, value: 'FIELD', help: 'What else an allowed request may ask for, by the name of its field.' },
    project: { type: 'boolean', help: "In the project's file, instead of your own: only to ask or deny." },
    cwd: { type: 'string', short: 'C', value: 'DIR', help: 'As seen from this folder.' },
    session: { type: 'string', value: 'ID', help: 'With what was remembered for this session.' },
    all: { type: 'boolean', help: 'All that was remembered.' },
    'trust-project': { type: 'boolean', help: "Also what the project's file allows (or AMUX_TRUST_PROJECT=1)." },
    json: JSON_FLAG,
  },
  actions: {
    list: {
      usage: '[--cwd DIR]',
      about: 'the rules in their order, with file and line, and what was remembered',
      maxWords: 0,
      flags: ['cwd'],
      run: async (given) => (await import('../policy/list.ts')).listPolicy(given),
    },
    add: {
      usage: 'allow|ask|deny [--name NAME] [--kind KIND] [--pattern P] ...',
      about: 'writes a rule into the file: what allows behind the others, anything else before them',
      minWords: 1,
      maxWords: 1,
      flags: ['name', 'kind', 'agent', 'tool', 'pattern', 'folder', 'also', 'project', 'cwd'],
      run: async (given) => (await import('../policy/change.ts')).addPolicyRule(given),
    },
    test: {
      usage: '[ASKED] --kind KIND [--agent NAME] [--tool TOOL] [--cwd DIR]',
      about: 'what would happen, and by which rule',
      maxWords: 1,
      flags: ['kind', 'agent', 'tool', 'cwd', 'session'],
      run: async (given) => (await import('../policy/try.ts')).tryPolicy(given),
    },
    remove: {
      usage: 'NAME [--project]',
      about: 'takes a rule out of the file',
      minWords: 1,
      maxWords: 1,
      flags: ['project', 'cwd'],
      run: async (given) => (await import('../policy/change.ts')).removePolicyRule(given),
    },
    forget: {
      usage: 'ID|--all',
      about: 'takes back an answer that was remembered',
      maxWords: 1,
      flags: ['all'],
      run: async (given) => (await import('../policy/change.ts')).forgetAnswers(given),
    },
  },
  otherwise: 'list',
  examples: [
    { command: 'amux policy add allow --kind read', about: "reads in the session's folder pass" },
    { command: "amux policy add allow --kind execute --pattern 'npm test' --name tests", about: 'this command passes' },
    {
      command: "amux policy add deny --kind execute --pattern 'rm *' --name no-rm",
      about: 'none of these, anywhere in it',
    },
    { command: "amux policy add ask --pattern '.env' --project", about: 'for everybody who works on this project' },
    { command: 'amux policy test "git status; rm -rf ~" --kind execute --agent claude', about: 'what would happen' },
    { command: 'amux policy', about: 'what there is' },
    { command: 'amux policy forget 3f2a', about: 'ask me again' },
  ],
  notes: [
    'In each file the first rule that matches counts; of your file and the project’s, the stricter one. A pattern that',
    'allows a command covers one simple command: nothing behind ; | & > or in $(...). One that denies is looked for in all.',
    'Rules decide on what an agent asks. In --approval-mode yolo most ask nothing. More: docs/policy.md.',
  ],
});
