import { useState } from 'react';
import type { HubToken } from '../../contract/hub-api.ts';
import { Choice } from '../parts/choice.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Problem } from '../parts/problem.tsx';
import { useConnection } from '../session/connection.ts';
import { TokenShown } from './token-shown.tsx';
import { useChange } from './use-change.ts';

const graces = [
  ['0', 'at once'],
  ['3600', 'after 1 hour'],
  ['86400', 'after 24 hours'],
] as const;

/** A new secret under the same name; the old one may hold a while longer. */
export function RotateToken({ token }: { token: HubToken }) {
  const { hubs } = useConnection();
  const [asking, setAsking] = useState(false);
  const [grace, setGrace] = useState<(typeof graces)[number][0]>('0');
  const rotate = useChange(
    'hub-tokens',
    () => hubs.rotateToken(token.token_id, { grace_seconds: Number(grace) }),
    () => {
      setAsking(false);
      setGrace('0');
    },
  );
  return (
    <>
      <button type="button" className="quiet" onClick={() => setAsking(true)}>
        Rotate…<span className="unseen"> {token.name}</span>
      </button>
      {asking ? (
        <Dialog title={`Rotate ${token.name}`} onClose={() => setAsking(false)}>
          <form
            onSubmit={(event) => {
              event.preventDefault();
              rotate.mutate();
            }}
          >
            <p>
              A new token is issued under this name. {expiryWords(token)} The old one must be replaced wherever it is
              used.
            </p>
            <Choice label="The old token ends" value={grace} options={graces} onChoose={setGrace} />
            {rotate.error ? <Problem error={rotate.error} /> : null}
            <footer className="dialog-foot">
              <button type="button" onClick={() => setAsking(false)}>
                Keep it
              </button>
              <button type="submit" className="strong" disabled={rotate.isPending}>
                Rotate
              </button>
            </footer>
          </form>
        </Dialog>
      ) : null}
      {rotate.data ? <TokenShown shown={rotate.data} isNew onClose={rotate.reset} /> : null}
    </>
  );
}

function expiryWords({ expiry }: HubToken): string {
  return expiry === 'No expiration' ? 'It does not expire.' : `It expires ${expiry} from now.`;
}
