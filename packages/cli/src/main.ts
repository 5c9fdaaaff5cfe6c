import { amux } from './amux.ts';
import { watchForBrokenPipe } from './broken-pipe.ts';

watchForBrokenPipe();
process.exitCode = await amux(process.argv.slice(2));
