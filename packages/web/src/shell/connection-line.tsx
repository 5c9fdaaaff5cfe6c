import { useEffect, useState } from 'react';
import { useConnection } from '../data/rows.ts';

/** Shorter interruptions are not shown. */
const GRACE_MS = 700;

export function ConnectionLine() {
  const connection = useConnection();
  const [isShown, setShown] = useState(false);
  useEffect(() => {
    if (connection !== 'broken') {
      setShown(false);
      return;
    }
    const timer = setTimeout(() => setShown(true), GRACE_MS);
    return () => clearTimeout(timer);
  }, [connection]);
  return (
    <div className="connection" role="status" data-shown={isShown}>
      {isShown ? 'Can’t reach the daemon. Agents keep running; this page reconnects automatically.' : ''}
    </div>
  );
}
