/** Every error code, what to do, and the exit code of amux. */
import { ERROR_CODES, EXIT_REASONS } from '@agent-mux/core';
import { EXIT_CODE_HELP, exitCodeOf } from '../../../packages/cli/src/exit-codes.ts';
import type { Types } from '../compiler.ts';
import { aboutOf, membersOf, writtenType } from './declarations.ts';
import { codeBlock, fieldTable, MADE, words } from './markdown.ts';

const ERRORS = 'packages/core/src/contract/errors.ts';

export function errorsPage(types: Types): string {
  const text = types
    .text(ERRORS)
    .replace(/\n +\* /g, ' ')
    .replace(/\n +\*\//g, ' */');
  const rows = ERROR_CODES.map((code) => {
    const found = new RegExp(`/\\*\\* (.*) What to do: (.*)\\. \\*/\\n  '${code}',`).exec(text);
    if (!found) throw new Error(`${ERRORS}: ${code} has no comment with "What to do:"`);
    return `| \`${code}\` | ${found[1]} | ${found[2]} | ${exitCodeOf(code)} |`;
  });
  const exits = EXIT_CODE_HELP.map(([code, meaning]) => {
    const causes =
      code === 1 ? 'all others' : words([...ERROR_CODES, ...EXIT_REASONS].filter((why) => exitCodeOf(why) === code));
    return `| ${code} | ${meaning} | ${causes} |`;
  });
  return `# Errors

${MADE}

${aboutOf(types, ERRORS, 'AgentMuxError')}

\`client.run()\` throws for anything it can check before it starts a process. Later failures arrive as events and as
\`error\` of the [result](run-result.md): a failed run resolves. A run without any event rejects (the agent is not installed
or cannot be started).

## Codes
| Code | Meaning | What to do | Exit code |
|---|---|---|---|
${rows.join('\n')}

## Classes
### AgentMuxError
${fieldTable(membersOf(types, ERRORS, 'AgentMuxError').filter(({ isMethod }) => !isMethod))}

### ValidationError
${aboutOf(types, ERRORS, 'ValidationError')}

${fieldTable(membersOf(types, ERRORS, 'ValidationError'))}

${codeBlock(writtenType(types, ERRORS, 'ValidationIssue'))}

### CapabilityError
${aboutOf(types, ERRORS, 'CapabilityError')}

${fieldTable(membersOf(types, ERRORS, 'CapabilityError'))}

## CLI exit codes
| Exit code | Meaning | Error code or exit reason |
|---|---|---|
${exits.join('\n')}

7 is for a completed run whose approval requests were denied because there was no terminal to ask on.
`;
}
