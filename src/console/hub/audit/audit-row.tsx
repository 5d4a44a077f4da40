import { Fragment } from 'react';
import { useSearchParams } from 'wouter';
import { describeCall } from '../../../client/hubs/describe-call.ts';
import type { AuditCall } from '../../../contract/hubs/audit-api.ts';
import { formatCallOrigin } from '../../../contract/hubs/call-origin.ts';
import { formatDuration, formatSize } from '../../../report/measures.ts';
import { CopyButton } from '../../components/copy-button.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { StatusIcon } from '../../components/status-icon.tsx';
import { formatExactTime } from '../../text/format.ts';
import { callOutcomes } from './call-outcomes.ts';

/** The expanded call is stored in the address bar. */
export function AuditRow({ call }: { call: AuditCall }) {
  const [search, setSearch] = useSearchParams();
  const isOpen = search.get('call') === String(call.seq);
  const [status, label] = callOutcomes[call.outcome];
  const toggle = (): void =>
    setSearch(
      (next) => {
        if (isOpen) next.delete('call');
        else next.set('call', String(call.seq));
        return next;
      },
      { replace: true },
    );
  return (
    <>
      <tr>
        <td className="person-name">
          <button type="button" className="quiet" data-row aria-expanded={isOpen} onClick={toggle}>
            <StatusIcon status={status} decorative title={label} /> {label}
          </button>
        </td>
        <td data-label="Tool">
          <code>{describeCall(call)}</code>
        </td>
        <td data-label="Person">{call.person}</td>
        <td data-label="Via">{formatCallOrigin(call)}</td>
        <td data-label="Duration" className="number">
          {formatDuration(call.duration_ms)}
        </td>
        <td data-label="Time">
          <RelativeTime timestamp={call.at} />
        </td>
      </tr>
      {isOpen ? (
        <tr>
          <td colSpan={6}>
            <CallDetails call={call} />
          </td>
        </tr>
      ) : null}
    </>
  );
}

function CallDetails({ call }: { call: AuditCall }) {
  const facts: readonly (readonly [name: string, value: string | null])[] = [
    ['Reason', call.reason],
    ['Time', formatExactTime(call.at)],
    ['Client', [call.client, call.client_version].filter((part) => part !== null).join(' ')],
    ['Called as', `${call.role} by ${call.via}, ${call.method}`],
    ['Request size', formatSize(call.request_bytes)],
    ['Response size', formatSize(call.answer_bytes)],
    ['Request id', call.request_id],
    [
      'Audit chain',
      `entry ${call.seq}${call.intent_seq === undefined ? '' : `, started as ${call.intent_seq}`}, arguments digest ${call.arguments_digest.slice(0, 16)}…`,
    ],
  ];
  return (
    <div className="call-details">
      <dl className="facts-list">
        {facts.map(([name, value]) =>
          value ? (
            <Fragment key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </Fragment>
          ) : null,
        )}
      </dl>
      {call.arguments === null ? (
        <p className="faint">The arguments are not stored.</p>
      ) : (
        <Arguments text={indentJson(call.arguments)} />
      )}
    </div>
  );
}

function Arguments({ text }: { text: string }) {
  return (
    <div className="snippet">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable element must be reachable by keyboard */}
      <pre tabIndex={0}>{text}</pre>
      <CopyButton text={text} />
    </div>
  );
}

function indentJson(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json), undefined, 2);
  } catch {
    return json;
  }
}
