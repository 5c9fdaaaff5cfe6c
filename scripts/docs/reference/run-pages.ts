/** The pages of a run: its options, the handle, the result. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { APPROVAL_MODES, EXIT_REASONS, SYSTEM_PROMPT_MODES, THINKING_EFFORTS } from '@agent-mux/core';
import { exitCodeOf } from '../../../packages/cli/src/exit-codes.ts';
import { flagOf } from '../../../packages/cli/src/run/flags.ts';
import type { Types } from '../compiler.ts';
import { aboutOf, type Member, membersOf, writtenType } from './declarations.ts';
import { codeBlock, fieldTable, MADE, memberList, words } from './markdown.ts';

const OPTIONS = 'packages/core/src/contract/options.ts';
const RUN = 'packages/core/src/contract/run.ts';
const EXAMPLES = join(import.meta.dirname, '../examples/options.ts');
/** What the options are made of, as it is written. */
const OPTION_TYPES = [
  'RetryPolicy',
  'McpServer',
  'Invocation',
  'Attachment',
  'ApprovalAnswer',
  'InputAnswer',
  'QuestionAnswers',
];
/** Options that amux has no flag for, or another one than the option's name tells. */
const OTHER_FLAGS: Readonly<Record<string, string>> = {
  agent: '`--agent`',
  prompt: 'the words, `--file` or stdin',
  onApprovalRequest: 'on a terminal, amux asks',
  onInputRequired: 'on a terminal, amux asks',
  signal: 'Ctrl-C',
  profile: '`--profile`',
};

export function optionsPage(types: Types): string {
  const examples = optionExamples();
  const option = ({ name, written, isOptional, comment }: Member) => {
    const flag = flagOf(name);
    const how = flag === undefined ? OTHER_FLAGS[name] : `\`${flag}\``;
    if (how === undefined) throw new Error(`${name}: no flag of amux sets it, and the reference does not say why`);
    return [
      `### ${name}`,
      `\`${name}${isOptional ? '?' : ''}: ${written.join(' | ')}\``,
      '',
      `${comment} In amux: ${how}.`,
      codeBlock(`${name}: ${examples.get(name)}`),
    ].join('\n');
  };
  return `# Run options

${MADE}

What \`client.run(options)\` takes. The values are checked before anything is started, and all faults are told at once
(\`VALIDATION_ERROR\`); an option that the agent cannot honour is a \`CAPABILITY_ERROR\`. What a call says stands over its profile,
which stands over the client's \`defaults\`; maps (\`env\`, \`mcpServers\`, ...) are merged by key.

${membersOf(types, OPTIONS, 'RunOptions').map(option).join('\n\n')}

## What they are made of
${codeBlock(OPTION_TYPES.map((name) => writtenType(types, OPTIONS, name)).join('\n\n'))}

- \`ApprovalMode\`: ${words(APPROVAL_MODES)}
- \`ThinkingEffort\`: ${words(THINKING_EFFORTS)}
- \`SystemPromptMode\`: ${words(SYSTEM_PROMPT_MODES)}
- \`ApprovalRequest\` is an [\`approval_request\`](events.md#approval_request) event, \`InputRequest\` an [\`input_required\`](events.md#input_required) one.
`;
}

/** The values as they are written in the examples, which the compiler and a test check. */
function optionExamples(): Map<string, string> {
  const text = readFileSync(EXAMPLES, 'utf8');
  const found = text.matchAll(/^ {2}(\w+): ([\s\S]*?),\n(?= {2}\w+:|\};)/gm);
  return new Map([...found].map(([, name = '', value = '']) => [name, value.replace(/^ {2}/gm, '')]));
}

export function handlePage(types: Types): string {
  return `# The handle of a run

${MADE}

What \`client.run(options)\` returns. ${aboutOf(types, RUN, 'RunHandle')}

Verbs that wait for something return a promise, and reject with an \`AgentMuxError\`; \`approve\`, \`deny\` and \`answer\` throw it. Which
verbs an agent knows in a mode, its capabilities say (\`client.adapters.capabilities(agent, mode)\`, \`amux capabilities\`).

${memberList(membersOf(types, RUN, 'RunHandle'))}

## Options of a turn
${fieldTable(membersOf(types, RUN, 'SendOptions'))}
`;
}

export function resultPage(types: Types): string {
  const reasons = EXIT_REASONS.map((reason) => `| \`${reason}\` | ${REASONS[reason]} | ${exitCodeOf(reason)} |`);
  return `# The result of a run

${MADE}

What awaiting a handle gives. ${aboutOf(types, RUN, 'RunResult')}

${fieldTable(membersOf(types, RUN, 'RunResult'))}

## RunError
${aboutOf(types, RUN, 'RunError')} The codes: [errors.md](errors.md).

${fieldTable(membersOf(types, RUN, 'RunError'))}

## How a run ends
| \`exitReason\` | | exit code of \`amux run\` |
|---|---|---|
${reasons.join('\n')}

## runOnce
\`client.runOnce(request)\`: ${aboutOf(types, RUN, 'RunOnceRequest')} Its names are those of programs that speak snake_case.

${fieldTable(membersOf(types, RUN, 'RunOnceRequest'))}

It resolves to:

${fieldTable(membersOf(types, RUN, 'RunOnceResult'))}
`;
}

const REASONS: Readonly<Record<(typeof EXIT_REASONS)[number], string>> = {
  completed: 'the last turn came to its end',
  interrupted: 'the last turn was interrupted; the session is kept',
  aborted: '`abort()`, a signal, or the end of the client',
  timeout: 'the run took longer than `timeout`',
  inactivity: 'silence for longer than `inactivityTimeout` or `afterToolTimeout`',
  crashed: "the agent's process ended in mid-turn, or could not be started",
  auth_error: 'nobody is logged in',
  rate_limited: 'a limit was hit, and not waited for',
  context_exceeded: "the conversation no longer fits into the model's context",
  max_turns: 'the limit of steps was reached',
  failed: 'any other failure; `error.code` says which',
};
