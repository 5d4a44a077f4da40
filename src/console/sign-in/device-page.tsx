import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { DeviceRequest } from '../../contract/identity-api.ts';
import { ErrorNotice } from '../components/error-notice.tsx';
import { Field } from '../components/field.tsx';
import { RelativeTime } from '../components/relative-time.tsx';
import { useClient } from '../session/client.ts';
import { ConsentDetails } from './consent-details.tsx';

/** Authorizes an app on a machine without a browser. The code must be typed: a link with the code could be sent by an attacker. */
export default function DevicePage() {
  const { identity } = useClient();
  const [code, setCode] = useState('');
  const lookUp = useMutation({ mutationFn: () => identity.lookUpDevice(code.trim()) });
  const decide = useMutation({
    mutationFn: (allow: boolean) => identity.decideDevice({ user_code: code.trim(), allow }),
  });
  return (
    <section className="narrow">
      <title>Device · vp</title>
      <h1>Connect a device</h1>
      {decide.isSuccess ? (
        <p role="status">
          {decide.variables
            ? 'Done. The app continues automatically. You can close this page.'
            : 'Denied. The app gets no access.'}
        </p>
      ) : lookUp.data ? (
        <DeviceDecision request={lookUp.data} onDecide={(allow) => decide.mutate(allow)} pending={decide.isPending} />
      ) : (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            lookUp.mutate();
          }}
        >
          <p>Enter the code that the app shows. If you did not start this, close this page.</p>
          <Field
            label="Code"
            required
            autoComplete="off"
            spellCheck={false}
            minLength={4}
            maxLength={20}
            className="mono"
            value={code}
            onChange={(event) => setCode(event.target.value.toUpperCase())}
          />
          <button type="submit" className="strong" disabled={lookUp.isPending}>
            Continue
          </button>
        </form>
      )}
      {lookUp.error ? <ErrorNotice error={lookUp.error} /> : null}
      {decide.error ? <ErrorNotice error={decide.error} /> : null}
    </section>
  );
}

type DeviceDecisionProps = {
  readonly request: DeviceRequest;
  readonly onDecide: (allow: boolean) => void;
  readonly pending: boolean;
};

function DeviceDecision({ request, onDecide, pending }: DeviceDecisionProps) {
  const { hub, member, client } = request;
  return (
    <>
      {member ? (
        <ConsentDetails request={request}>
          Requested <RelativeTime timestamp={request.requested_at} /> from <b className="mono">{request.address}</b>. Is
          that you?
        </ConsentDetails>
      ) : (
        <p>
          <b>{client.name}</b> requests access to the hub <b>{hub?.slug}</b>, but you are not a member of it. Ask an
          owner of the hub to add you, then start again on the device.
        </p>
      )}
      <div className="actions">
        <button type="button" disabled={pending} onClick={() => onDecide(false)}>
          Deny
        </button>
        {member ? (
          <button type="button" className="strong" disabled={pending} onClick={() => onDecide(true)}>
            Allow
          </button>
        ) : null}
      </div>
    </>
  );
}
