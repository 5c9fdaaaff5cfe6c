import type { StoredDelivery } from '../store.ts';
import type { Connection } from './connection.ts';
import { getRecord, setRecord } from './records.ts';
import { addSession, setSession } from './sessions.ts';

const KIND = 'delivery';

/** False if it was recorded before. */
export function recordDelivery(connection: Connection, delivery: StoredDelivery): boolean {
  const { key, now, insert, update, record } = delivery;
  return connection.transact((transaction) => {
    if (getRecord(connection, KIND, key) !== undefined) return false;
    setRecord(connection, { kind: KIND, key, value: true }, now);
    if (insert) addSession(connection, transaction, insert);
    if (update) setSession(connection, transaction, update.id, update.change);
    if (record) setRecord(connection, record, now);
    return true;
  });
}
