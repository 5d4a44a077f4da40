/** The server that new connections of a pool go to: chosen once, and again when it fails or has become a standby. */
import pg from 'pg';
import type { Clock } from '../../environment/clock.ts';
import type { VpError } from '../../errors/vp-error.ts';
import { connectPostgres, toClientConfig } from './connect.ts';
import { toDatabaseError } from './connection-errors.ts';
import type { PostgresHost, PostgresSettings } from './connection-settings.ts';
import { assertUsableServer, type DatabaseServerInfo } from './server-requirements.ts';
import type { PostgresTls } from './tls-attempts.ts';

export type ServerSelection = {
  /** For `pg.Pool`: which server, how to reach it, and what it must be. */
  readonly poolOptions: pg.PoolConfig;
  /** The database without its address: callers of the control plane read it in errors. */
  readonly label: string;
  /** The server as it was when it was chosen last. */
  getServer(): DatabaseServerInfo;
  /** The host that was chosen last. */
  getHost(): PostgresHost;
  /** Describes an error of a connection, for the operator. */
  describeError(error: unknown): VpError;
};

type ConnectCallback = (error: Error | null) => void;

type Choice = { readonly host: PostgresHost; readonly tls: PostgresTls; readonly server: DatabaseServerInfo };

/** A failing pool tries to connect many times a second. */
const minChoiceIntervalMs = 250;

/** Rejects with STORE_DATABASE_* when no server can be used now. */
export async function selectServer(
  settings: PostgresSettings,
  clock: Pick<Clock, 'after' | 'monotonicMs'>,
): Promise<ServerSelection> {
  const choose = async (): Promise<Choice> => {
    const { client, host, tls, server } = await connectPostgres(settings, { clock });
    await client.end();
    return { host, tls, server };
  };
  let choice = await choose();
  let choosing: Promise<void> | undefined;
  let chosenAtMs = clock.monotonicMs();

  /** Returns at once; connections after the next ones profit. Where no server can be used, the last one stays. */
  function chooseAgain(): void {
    if (choosing !== undefined || clock.monotonicMs() - chosenAtMs < minChoiceIntervalMs) return;
    choosing = choose()
      .then((next) => {
        choice = next;
      })
      .catch(() => undefined)
      .finally(() => {
        choosing = undefined;
        chosenAtMs = clock.monotonicMs();
      });
  }

  class SelectedClient extends pg.Client {
    constructor(options?: pg.ClientConfig) {
      super({ ...options, ...toClientConfig(settings, choice.host, choice.tls) });
      // The pool listens only when the session has begun.
      this.on('error', () => undefined);
    }

    override connect(): Promise<this>;
    override connect(callback: ConnectCallback): void;
    override connect(callback?: ConnectCallback): Promise<this> | undefined {
      const connecting = super.connect().then(() => this);
      connecting.catch(chooseAgain);
      if (callback === undefined) return connecting;
      connecting.then(
        () => callback(null),
        (error) => callback(error),
      );
      return undefined;
    }
  }

  return {
    poolOptions: {
      Client: SelectedClient,
      async onConnect(client) {
        const { host, port } = client as pg.Client;
        await assertUsableServer(client, { host, port }, settings).catch((error) => {
          chooseAgain();
          throw error;
        });
      },
    },
    label: `database ${settings.database}`,
    getServer: () => choice.server,
    getHost: () => choice.host,
    describeError: (error) => toDatabaseError(error, { ...settings, host: choice.host, isConnected: true }),
  };
}
