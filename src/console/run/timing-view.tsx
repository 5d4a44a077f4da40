import type { Report } from '../../report/report.ts';
import { durationText } from '../words/moments.ts';
import { stretchesOf } from './stretches.ts';

/** Where the time went, as a bar for each part of the way on one axis. */
export function TimingView({ report }: { report: Report }) {
  const stretches = stretchesOf(report.timings);
  const endMs = Math.max(0.001, stretches.at(-1)?.endMs ?? 0);
  return (
    <table className="timing">
      <caption className="unseen">Timing</caption>
      <tbody>
        {stretches.map(({ name, startMs, endMs: untilMs }) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <td className="timing-took">{durationText(untilMs - startMs)}</td>
            <td className="timing-way" aria-hidden="true">
              <svg width="100%" height="12" preserveAspectRatio="none" aria-hidden="true">
                <rect
                  x={`${(startMs / endMs) * 100}%`}
                  width={`max(2px, ${((untilMs - startMs) / endMs) * 100}%)`}
                  height="12"
                />
              </svg>
            </td>
          </tr>
        ))}
      </tbody>
      <tfoot>
        <tr>
          <th scope="row">all</th>
          <td className="timing-took">{durationText(endMs)}</td>
          <td />
        </tr>
      </tfoot>
    </table>
  );
}
