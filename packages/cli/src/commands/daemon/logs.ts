import { type Command, isOn, JSON_FLAG, textFlag } from '../../command.ts';
import { UsageError } from '../../usage-error.ts';

export const logs: Command = {
  usage: 'amux logs [--lines N] [--follow]',
  about: 'What the daemon has written down of itself. Does not start it.',
  flags: {
    lines: { type: 'string', short: 'n', value: 'N', help: 'So many of the last lines (default 50; 0: all).' },
    follow: { type: 'boolean', short: 'f', help: 'Go on with what comes, until Ctrl-C.' },
    json: { ...JSON_FLAG, help: 'Print one line of JSON for each line.' },
  },
  examples: [
    { command: 'amux logs', about: 'why did it not start?' },
    { command: 'amux logs --follow', about: 'while you try' },
  ],
  maxWords: 0,
  async run(given) {
    const text = textFlag(given, 'lines') ?? '50';
    const lines = Number(text);
    if (!Number.isInteger(lines) || lines < 0) throw new UsageError(`--lines: "${text}" is no number of lines`);
    const { showLogs } = await import('../../daemon/logs.ts');
    return showLogs({
      lines: lines === 0 ? Number.POSITIVE_INFINITY : lines,
      follow: isOn(given, 'follow'),
      json: isOn(given, 'json'),
    });
  },
};
