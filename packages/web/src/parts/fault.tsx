import { CallError } from '../data/call.ts';

/** What went wrong, and what to do. */
export function Fault({ error }: { error: Error }) {
  return (
    <div className="trouble" data-tone="error" role="alert">
      <p>{error.message}</p>
      {error instanceof CallError && error.hint !== undefined ? <p className="muted">{error.hint}</p> : null}
    </div>
  );
}
