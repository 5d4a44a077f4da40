import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { DeviceRequest } from '../../contract/identity-api.ts';
import { Ago } from '../parts/ago.tsx';
import { Field } from '../parts/field.tsx';
import { Problem } from '../parts/problem.tsx';
import { useConnection } from '../session/connection.ts';
import { Leave } from './leave.tsx';

/** Lets a program on a machine without a browser act for the person: the code is typed, never followed as a link. */
export default function DevicePage() {
  const { identity } = useConnection();
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
            ? 'Done. The program goes on by itself; this page can be closed.'
            : 'Refused. The program gets nothing.'}
        </p>
      ) : lookUp.data ? (
        <Decision request={lookUp.data} onDecide={(allow) => decide.mutate(allow)} pending={decide.isPending} />
      ) : (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            lookUp.mutate();
          }}
        >
          <p>Type the code that the program shows. If nobody is waiting for it, close this page.</p>
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
            Go on
          </button>
        </form>
      )}
      {lookUp.error ? <Problem error={lookUp.error} /> : null}
      {decide.error ? <Problem error={decide.error} /> : null}
    </section>
  );
}

type DecisionProps = {
  readonly request: DeviceRequest;
  readonly onDecide: (allow: boolean) => void;
  readonly pending: boolean;
};

function Decision({ request, onDecide, pending }: DecisionProps) {
  const { hub, member, client } = request;
  return (
    <>
      {member ? (
        <Leave asked={request}>
          It asked <Ago at={request.requested_at} /> from <b className="mono">{request.address}</b>. Is that you?
        </Leave>
      ) : (
        <p>
          <b>{client.name}</b> asks for the hub <b>{hub?.slug}</b>, to which you do not belong. Ask an owner of the hub
          to add you, then begin again on the device.
        </p>
      )}
      <div className="actions">
        <button type="button" disabled={pending} onClick={() => onDecide(false)}>
          No, refuse
        </button>
        {member ? (
          <button type="button" className="strong" disabled={pending} onClick={() => onDecide(true)}>
            Yes, allow
          </button>
        ) : null}
      </div>
    </>
  );
}
