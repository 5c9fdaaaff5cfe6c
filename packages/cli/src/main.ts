import { amux } from './amux.ts';
import { exitWith, watchForBrokenPipe } from './broken-pipe.ts';

watchForBrokenPipe();
exitWith(await amux(process.argv.slice(2)));
