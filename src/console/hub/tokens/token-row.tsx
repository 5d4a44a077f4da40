import type { HubToken } from '../../../contract/hubs/hubs-api.ts';
import { RelativeTime } from '../../components/relative-time.tsx';
import { useNow } from '../../components/use-now.ts';
import { useWhoami } from '../../session/use-session.ts';
import { formatExactTime, formatTimeUntil } from '../../text/format.ts';
import { RevealToken } from './reveal-token.tsx';
import { RevokeToken } from './revoke-token.tsx';
import { RotateToken } from './rotate-token.tsx';

const weekMs = 7 * 86_400_000;

/** Only the creator of a token can reveal and rotate it. */
export function TokenRow({ token, extraColumn }: { token: HubToken; extraColumn: 'Hub' | 'Person' | undefined }) {
  const isOwn = useWhoami()?.person?.person_id === token.person_id;
  return (
    <tr>
      <td className="person-name">
        {token.name}
        {token.state === 'left' ? (
          <p className="soon">not usable: {isOwn ? 'you have' : `${token.person} has`} left the hub</p>
        ) : null}
        {token.previous_until === null ? null : <PreviousSecret expiresAt={token.previous_until} />}
      </td>
      {extraColumn === undefined ? null : (
        <td data-label={extraColumn}>{extraColumn === 'Hub' ? token.hub : token.person}</td>
      )}
      <td data-label="Created">
        <span>
          <RelativeTime timestamp={token.created_at} />
          {token.rotated_at === null ? null : (
            <span className="faint">
              , rotated <RelativeTime timestamp={token.rotated_at} />
            </span>
          )}
        </span>
      </td>
      <td data-label="Expires">
        <TokenExpiryText expiresAt={token.expires_at} />
      </td>
      <td data-label="Last used">
        <LastUse usedAt={token.last_used_at} address={token.last_address} />
      </td>
      <td className="row-actions">
        {isOwn ? <RevealToken token={token} /> : null}
        {isOwn && token.state !== 'left' ? <RotateToken token={token} /> : null}
        <RevokeToken token={token} />
      </td>
    </tr>
  );
}

/** Highlighted in the last week before expiry. */
function TokenExpiryText({ expiresAt }: { expiresAt: string | null }) {
  const isSoon = useNow((nowMs) => (expiresAt !== null && Date.parse(expiresAt) - nowMs < weekMs ? 1 : 0)) === 1;
  const text = useNow((nowMs) =>
    expiresAt === null ? 'never' : Date.parse(expiresAt) > nowMs ? formatTimeUntil(expiresAt, nowMs) : 'expired',
  );
  return (
    <span className={isSoon ? 'soon' : undefined} title={expiresAt === null ? undefined : formatExactTime(expiresAt)}>
      {text}
    </span>
  );
}

function LastUse({ usedAt, address }: { usedAt: string | null; address: string | null }) {
  if (usedAt === null) return 'never';
  return (
    <>
      <RelativeTime timestamp={usedAt} />
      {address === null ? null : <span className="faint"> from {address}</span>}
    </>
  );
}

/** Displayed until it expires. */
function PreviousSecret({ expiresAt }: { expiresAt: string }) {
  const text = useNow((nowMs) => (Date.parse(expiresAt) > nowMs ? formatTimeUntil(expiresAt, nowMs) : ''));
  return text === '' ? null : <p className="faint plain">the previous secret expires {text}</p>;
}
