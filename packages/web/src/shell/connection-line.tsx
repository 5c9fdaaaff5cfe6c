import { useEffect, useState } from 'react';
import { useConnection } from '../data/rows.ts';

/** A break that is mended at once is not worth a word. */
const PATIENCE_MS = 700;

export function ConnectionLine() {
  const connection = useConnection();
  const [isShown, setShown] = useState(false);
  useEffect(() => {
    if (connection !== 'broken') {
      setShown(false);
      return;
    }
    const timer = setTimeout(() => setShown(true), PATIENCE_MS);
    return () => clearTimeout(timer);
  }, [connection]);
  return (
    <div className="connection" role="status" data-shown={isShown}>
      {isShown ? 'The daemon cannot be reached. Agents work on; this page catches up when it is back.' : ''}
    </div>
  );
}
