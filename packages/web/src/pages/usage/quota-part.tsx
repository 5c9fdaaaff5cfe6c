import { useQuery as useAnswer } from '@tanstack/react-query';
import { ErrorMessage } from '../../components/error-message.tsx';
import { Age, Countdown } from '../../components/primitives.tsx';
import { call } from '../../data/call.ts';
import { CellBar } from './charts.tsx';

/** Limits reported by providers, and when each resets. */
export function QuotaPart() {
  const quota = useAnswer({
    queryKey: ['quota'],
    queryFn: async ({ signal }) => (await call('getQuota', {}, signal)).accounts,
    staleTime: 5_000,
    refetchInterval: 30_000,
  });
  if (quota.error) return <ErrorMessage error={quota.error} />;
  const accounts = quota.data ?? [];
  return (
    <section aria-labelledby="quota">
      <h2 id="quota">Provider limits</h2>
      {accounts.length === 0 ? (
        <p className="muted">No limits reported yet. Agents report them while they run.</p>
      ) : (
        <div className="table-frame">
          <table className="table">
            <caption className="hidden-text">Limit windows by agent and account</caption>
            <thead>
              <tr>
                <th scope="col">Account</th>
                <th scope="col">Window</th>
                <th scope="col" className="bar-cell">
                  <span className="hidden-text">Share</span>
                </th>
                <th scope="col" className="right">
                  Used
                </th>
                <th scope="col" className="right">
                  Resets
                </th>
                <th scope="col" className="right">
                  As of
                </th>
              </tr>
            </thead>
            <tbody>
              {accounts.flatMap(({ account, agent, windows, asOf, limited }) =>
                windows.map(({ window, usedPercent, resetsAt, exhausted }) => (
                  <tr key={`${account} ${window}`} data-step tabIndex={-1}>
                    <th scope="row" className="cut" title={account}>
                      {agent}
                      {limited ? (
                        <span className="tag" data-tone="wait">
                          limited
                        </span>
                      ) : null}
                    </th>
                    <td>{window}</td>
                    <td className="bar-cell">{usedPercent === null ? null : <CellBar share={usedPercent / 100} />}</td>
                    <td className="right number">
                      {exhausted ? 'used up' : usedPercent === null ? 'unknown' : `${Math.round(usedPercent)} %`}
                    </td>
                    <td className="right">
                      {resetsAt === null ? 'unknown' : <Countdown until={resetsAt} passed="passed" />}
                    </td>
                    <td className="right">
                      <Age time={asOf} />
                    </td>
                  </tr>
                )),
              )}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}
