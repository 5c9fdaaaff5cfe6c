import { readFileSync } from 'node:fs';
import { parseRecording, type RecordedLine } from '../replay/recording.ts';
import type { RecordingFixture } from './fixtures.ts';
import type { Subject } from './subject.ts';

/** Enough to generate garbage from; a recording may have thousands. */
const MAX_LINES = 400;
const LONGEST_LINE = 20_000;

export function linesOf(fixture: Extract<RecordingFixture, { file: string | URL }>): RecordedLine[] {
  return parseRecording(readFileSync(fixture.file));
}

/** A recording is read once, however many checks use it. */
const known = new WeakMap<Subject, Map<string, readonly string[]>>();

/** The agent's output in the recordings of a mode: real lines to damage. */
export function heardIn(subject: Subject, mode: string): readonly string[] {
  const perMode = known.get(subject) ?? new Map<string, readonly string[]>();
  known.set(subject, perMode);
  const heard = perMode.get(mode) ?? readHeard(subject, mode);
  perMode.set(mode, heard);
  return heard;
}

function readHeard({ fixtures }: Subject, mode: string): readonly string[] {
  const heard = new Set<string>();
  for (const fixture of fixtures.recordings ?? []) {
    if (!('file' in fixture) || fixture.mode !== mode) continue;
    for (const { direction, line } of linesOf(fixture)) {
      if (direction === 'in' && line.length < LONGEST_LINE) heard.add(line);
    }
  }
  const all = [...heard];
  const step = Math.max(1, Math.ceil(all.length / MAX_LINES));
  return all.filter((_, index) => index % step === 0);
}
