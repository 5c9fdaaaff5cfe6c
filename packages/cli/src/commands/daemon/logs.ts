import { type Command, hasFlag, JSON_FLAG, stringFlag } from '../../command.ts';
import { UsageError } from '../../usage-error.ts';

export const logs: Command = {
  usage: 'amux logs [--lines N] [--follow]',
  description: 'Prints the daemon log. Does not start the daemon.',
  flags: {
    lines: { type: 'string', short: 'n', value: 'N', help: 'Number of last lines (default 50; 0 for all)' },
    follow: { type: 'boolean', short: 'f', help: 'Follow the log until Ctrl-C' },
    json: { ...JSON_FLAG, help: 'Print one JSON object per line' },
  },
  examples: [
    { command: 'amux logs', about: 'See why the daemon failed to start' },
    { command: 'amux logs --follow', about: 'Follow the log' },
  ],
  maxArgs: 0,
  async run(options) {
    const text = stringFlag(options, 'lines') ?? '50';
    const lines = Number(text);
    if (!Number.isInteger(lines) || lines < 0) throw new UsageError(`--lines: not a number: "${text}"`);
    const { showLogs } = await import('../../daemon/logs.ts');
    return showLogs({
      lines: lines === 0 ? Number.POSITIVE_INFINITY : lines,
      follow: hasFlag(options, 'follow'),
      json: hasFlag(options, 'json'),
    });
  },
};
