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
/** Types of the options, as declared. */
const OPTION_TYPES = [
  'RetryPolicy',
  'McpServer',
  'Invocation',
  'Attachment',
  'ApprovalAnswer',
  'InputAnswer',
  'QuestionAnswers',
];
/** Options without a flag of the same name. */
const OTHER_FLAGS: Readonly<Record<string, string>> = {
  agent: '`--agent`',
  prompt: 'arguments, `--file` or stdin',
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
    if (how === undefined) throw new Error(`${name}: no amux flag sets it; add it to OTHER_FLAGS`);
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

Options of \`client.run(options)\`. Values are checked before anything starts, and all issues are reported at once
(\`VALIDATION_ERROR\`); an unsupported option is a \`CAPABILITY_ERROR\`. A call overrides its profile, which overrides the
client's \`defaults\`; maps (\`env\`, \`mcpServers\`, ...) are merged by key.

${membersOf(types, OPTIONS, 'RunOptions').map(option).join('\n\n')}

## Shared types
${codeBlock(OPTION_TYPES.map((name) => writtenType(types, OPTIONS, name)).join('\n\n'))}

- \`ApprovalMode\`: ${words(APPROVAL_MODES)}
- \`ThinkingEffort\`: ${words(THINKING_EFFORTS)}
- \`SystemPromptMode\`: ${words(SYSTEM_PROMPT_MODES)}
- \`ApprovalRequest\` is an [\`approval_request\`](events.md#approval_request) event, \`InputRequest\` an [\`input_required\`](events.md#input_required) one.
`;
}

/** Example values as written, checked by the compiler and a test. */
function optionExamples(): Map<string, string> {
  const text = readFileSync(EXAMPLES, 'utf8');
  const found = text.matchAll(/^ {2}(\w+): ([\s\S]*?),\n(?= {2}\w+:|\};)/gm);
  return new Map([...found].map(([, name = '', value = '']) => [name, value.replace(/^ {2}/gm, '')]));
}

export function handlePage(types: Types): string {
  return `# Run handle

${MADE}

Returned by \`client.run(options)\`. ${aboutOf(types, RUN, 'RunHandle')}

Asynchronous methods return a promise and reject with an \`AgentMuxError\`; \`approve\`, \`deny\` and \`answer\` throw it. The
capabilities of a mode say which methods an agent supports (\`client.adapters.capabilities(agent, mode)\`,
\`amux capabilities\`).

${memberList(membersOf(types, RUN, 'RunHandle'))}

## Turn options
${fieldTable(membersOf(types, RUN, 'SendOptions'))}
`;
}

export function resultPage(types: Types): string {
  const reasons = EXIT_REASONS.map((reason) => `| \`${reason}\` | ${REASONS[reason]} | ${exitCodeOf(reason)} |`);
  return `# Run result

${MADE}

What awaiting a handle returns. ${aboutOf(types, RUN, 'RunResult')}

${fieldTable(membersOf(types, RUN, 'RunResult'))}

## RunError
${aboutOf(types, RUN, 'RunError')} The codes: [errors.md](errors.md).

${fieldTable(membersOf(types, RUN, 'RunError'))}

## How a run ends
| \`exitReason\` | Meaning | Exit code of \`amux run\` |
|---|---|---|
${reasons.join('\n')}

## runOnce
\`client.runOnce(request)\`: ${aboutOf(types, RUN, 'RunOnceRequest')} Its fields use snake_case.

${fieldTable(membersOf(types, RUN, 'RunOnceRequest'))}

It resolves to:

${fieldTable(membersOf(types, RUN, 'RunOnceResult'))}
`;
}

const REASONS: Readonly<Record<(typeof EXIT_REASONS)[number], string>> = {
  completed: 'the last turn completed',
  interrupted: 'the last turn was interrupted; the session stays',
  aborted: '`abort()`, a signal, or the end of the client',
  timeout: 'the run exceeded `timeout`',
  inactivity: 'silence for longer than `inactivityTimeout` or `afterToolTimeout`',
  crashed: "the agent's process ended during a turn, or could not be started",
  auth_error: 'not logged in',
  rate_limited: 'a limit was reached, and the run did not wait',
  context_exceeded: 'the context window was exceeded',
  max_turns: 'the maximum number of turns was reached',
  failed: 'any other failure; `error.code` says which',
};
