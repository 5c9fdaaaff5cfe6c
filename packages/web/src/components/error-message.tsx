import { CallError } from '../data/call.ts';

/** An error message with its hint. */
export function ErrorMessage({ error }: { error: Error }) {
  return (
    <div className="error-box" data-tone="error" role="alert">
      <p>{error.message}</p>
      {error instanceof CallError && error.hint !== undefined ? <p className="muted">{error.hint}</p> : null}
    </div>
  );
}
