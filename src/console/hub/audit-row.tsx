import { Fragment } from 'react';
import { useSearchParams } from 'wouter';
import type { AuditCall } from '../../contract/hub-audit-api.ts';
import { Ago } from '../parts/ago.tsx';
import { CopyButton } from '../parts/copy-button.tsx';
import { Mark } from '../parts/mark.tsx';
import { durationText, exactText, sizeText } from '../words/moments.ts';
import { outcomes } from './outcomes.ts';

/** One call; which one is open stands in the address. */
export function AuditRow({ call }: { call: AuditCall }) {
  const [search, setSearch] = useSearchParams();
  const isOpen = search.get('call') === String(call.seq);
  const [look, words] = outcomes[call.outcome];
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
            <Mark look={look} silent title={words} /> {words}
          </button>
        </td>
        <td data-label="Tool">
          <code>{nameOf(call)}</code>
        </td>
        <td data-label="Person">{call.person}</td>
        <td data-label="By">{call.via_name ?? call.via}</td>
        <td data-label="Took" className="number">
          {durationText(call.duration_ms)}
        </td>
        <td data-label="When">
          <Ago at={call.at} />
        </td>
      </tr>
      {isOpen ? (
        <tr>
          <td colSpan={6}>
            <Details call={call} />
          </td>
        </tr>
      ) : null}
    </>
  );
}

/** As the caller named it. */
function nameOf({ connection, tool, method }: AuditCall): string {
  if (tool === null) return method;
  return connection === null ? tool : `${connection}__${tool}`;
}

function Details({ call }: { call: AuditCall }) {
  const facts: readonly (readonly [name: string, value: string | null])[] = [
    ['Why', call.reason],
    ['At', exactText(call.at)],
    ['Client', [call.client, call.client_version].filter((one) => one !== null).join(' ')],
    ['Asked as', `${call.role} by ${call.via}, ${call.method}`],
    ['Request', sizeText(call.request_bytes)],
    ['Answer', sizeText(call.answer_bytes)],
    ['Request id', call.request_id],
    ['In the chain', `entry ${call.seq}; digest of the arguments ${call.arguments_digest.slice(0, 16)}…`],
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
        <p className="faint">Nothing of the arguments is kept.</p>
      ) : (
        <Arguments text={indented(call.arguments)} />
      )}
    </div>
  );
}

function Arguments({ text }: { text: string }) {
  return (
    <div className="snippet">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys */}
      <pre tabIndex={0}>{text}</pre>
      <CopyButton text={text} />
    </div>
  );
}

function indented(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json), undefined, 2);
  } catch {
    return json;
  }
}
