import type { HubToken } from '../../contract/hub-api.ts';
import { Ago } from '../parts/ago.tsx';
import { useWhoami } from '../session/use-session.ts';
import { exactText, untilText } from '../words/moments.ts';
import { useNow } from '../words/use-now.ts';
import { RevealToken } from './reveal-token.tsx';
import { RevokeToken } from './revoke-token.tsx';
import { RotateToken } from './rotate-token.tsx';

const weekMs = 7 * 86_400_000;
/** A token of 90 days that was just made says so. */
const minuteMs = 60_000;

/** One token; only its maker can see it again and rotate it. */
export function TokenRow({ token, second }: { token: HubToken; second: 'Hub' | 'Person' | undefined }) {
  const isOwn = useWhoami()?.person?.person_id === token.person_id;
  return (
    <tr>
      <td className="person-name">
        {token.name}
        {token.state === 'left' ? (
          <p className="soon">opens nothing: {isOwn ? 'you have' : `${token.person} has`} left the hub</p>
        ) : null}
        {token.previous_until === null ? null : <Previous until={token.previous_until} />}
      </td>
      {second === undefined ? null : <td data-label={second}>{second === 'Hub' ? token.hub : token.person}</td>}
      <td data-label="Created">
        <span>
          <Ago at={token.created_at} />
          {token.rotated_at === null ? null : (
            <span className="faint">
              , rotated <Ago at={token.rotated_at} />
            </span>
          )}
        </span>
      </td>
      <td data-label="Expires">
        <Expires at={token.expires_at} />
      </td>
      <td data-label="Last used">
        <Used at={token.last_used_at} address={token.last_address} />
      </td>
      <td className="row-actions">
        {isOwn ? <RevealToken token={token} /> : null}
        {isOwn && token.state !== 'left' ? <RotateToken token={token} /> : null}
        <RevokeToken token={token} />
      </td>
    </tr>
  );
}

/** In words, marked in the last week; years are told by their date. */
function Expires({ at }: { at: string | null }) {
  const isSoon = useNow((nowMs) => (at !== null && Date.parse(at) - nowMs < weekMs ? 1 : 0)) === 1;
  const text = useNow((nowMs) =>
    at === null ? 'never' : Date.parse(at) > nowMs ? untilText(at, nowMs - minuteMs) : 'expired',
  );
  return (
    <span className={isSoon ? 'soon' : undefined} title={at === null ? undefined : exactText(at)}>
      {text}
    </span>
  );
}

function Used({ at, address }: { at: string | null; address: string | null }) {
  if (at === null) return 'never';
  return (
    <>
      <Ago at={at} />
      {address === null ? null : <span className="faint"> from {address}</span>}
    </>
  );
}

/** Only while it holds. */
function Previous({ until }: { until: string }) {
  const text = useNow((nowMs) => (Date.parse(until) > nowMs ? untilText(until, nowMs) : ''));
  return text === '' ? null : <p className="faint plain">the secret before ends {text}</p>;
}
