/** Sends a mail over SMTP. The address of the server is checked before it is dialled, as those of webhooks are. */
import { isIP } from 'node:net';
import type { MailTarget } from '../contract/notifications-api.ts';
import type { NotificationContext } from './context.ts';

export type Mail = { readonly id: string; readonly subject: string; readonly text: string };

/** How long the server may take to close a connection that was given up. */
const closeTimeoutMs = 1_000;

type MailContext = Pick<NotificationContext, 'resolver' | 'trustedRoots' | 'settings'>;

/** Returns how many recipients the server has refused; rejects when it refused all. Repeated mails have the same `Message-ID`. */
export async function sendMail(
  { resolver, trustedRoots, settings }: MailContext,
  { server, port, security, user, password, from, to }: MailTarget,
  { id, subject, text }: Mail,
  signal: AbortSignal,
): Promise<number> {
  const [address] = await resolver.resolve(server, signal);
  const { createTransport } = await import('nodemailer');
  const timeoutMs = settings.attemptTimeoutMs;
  const transport = createTransport({
    host: address?.address ?? server,
    port,
    secure: security === 'tls',
    requireTLS: security === 'starttls',
    ignoreTLS: security === 'none',
    tls: {
      ...(isIP(server) === 0 ? { servername: server } : {}),
      ...(trustedRoots ? { ca: [...trustedRoots] } : {}),
    },
    ...(user !== undefined && password !== undefined ? { auth: { user, pass: password } } : {}),
    ...{ connectionTimeout: timeoutMs, greetingTimeout: timeoutMs, socketTimeout: timeoutMs },
    socketCloseTimeout: closeTimeoutMs,
    ...{ disableFileAccess: true, disableUrlAccess: true },
  });
  try {
    const { rejected } = await transport.sendMail({
      ...{ from, to: [...to], subject, text },
      messageId: `<${id}@${from.slice(from.lastIndexOf('@') + 1)}>`,
      headers: { 'Auto-Submitted': 'auto-generated' },
      // Closes the connection: a server that says a little now and then would otherwise hold it without end.
      signal,
    });
    return rejected.length;
  } finally {
    transport.close();
  }
}
