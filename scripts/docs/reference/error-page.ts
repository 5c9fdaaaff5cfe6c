/** Every error code, what to do, and the exit code of amux. */
import { ERROR_CODES, EXIT_REASONS } from '@agent-mux/core';
import { EXIT_MEANINGS, exitCodeOf } from '../../../packages/cli/src/exit-codes.ts';
import type { Types } from '../compiler.ts';
import { aboutOf, membersOf, writtenType } from './declarations.ts';
import { codeBlock, fieldTable, MADE, words } from './markdown.ts';

const ERRORS = 'packages/core/src/contract/errors.ts';

export function errorsPage(types: Types): string {
  const text = types.text(ERRORS);
  const rows = ERROR_CODES.map((code) => {
    const told = new RegExp(`/\\*\\* (.*) What to do: (.*)\\. \\*/\\n  '${code}',`).exec(text);
    if (!told) throw new Error(`${ERRORS}: above ${code} stands no comment with "What to do:"`);
    return `| \`${code}\` | ${told[1]} | ${told[2]} | ${exitCodeOf(code)} |`;
  });
  const exits = EXIT_MEANINGS.map(([code, meaning]) => {
    const causes =
      code === 1 ? 'all others' : words([...ERROR_CODES, ...EXIT_REASONS].filter((why) => exitCodeOf(why) === code));
    return `| ${code} | ${meaning} | ${causes} |`;
  });
  return `# Errors

${MADE}

${aboutOf(types, ERRORS, 'AgentMuxError')}

\`client.run()\` throws what can be known before anything is started. What happens later is told by events and by \`error\` of the
[result](run-result.md): a run that failed resolves. A run that never told anything rejects (the agent is not installed, cannot be started).

## Codes
| code | what it means | what to do | exit code |
|---|---|---|---|
${rows.join('\n')}

## The classes
### AgentMuxError
${fieldTable(membersOf(types, ERRORS, 'AgentMuxError').filter(({ isMethod }) => !isMethod))}

### ValidationError
${aboutOf(types, ERRORS, 'ValidationError')}

${fieldTable(membersOf(types, ERRORS, 'ValidationError'))}

${codeBlock(writtenType(types, ERRORS, 'Fault'))}

### CapabilityError
${aboutOf(types, ERRORS, 'CapabilityError')}

${fieldTable(membersOf(types, ERRORS, 'CapabilityError'))}

## Exit codes of amux
| exit code | meaning | error code or exit reason |
|---|---|---|
${exits.join('\n')}

7 is for a run that went to its end: what the agent asked for was denied, since nobody could be asked.
`;
}
