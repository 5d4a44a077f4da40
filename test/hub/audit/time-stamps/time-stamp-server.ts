/** Time stamp servers for tests: `openssl ts` behind HTTP, with certificates of the test. */
import { execFileSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import type { Test } from 'tap';
import { getPort } from '../../../targets/raw-target.ts';

const config = `[ca]
default_ca = tests
[tests]
database = index.txt
new_certs_dir = .
rand_serial = yes
unique_subject = no
default_md = sha256
policy = any
[any]
commonName = supplied
[root]
basicConstraints = critical, CA:true
keyUsage = critical, keyCertSign, cRLSign
[between]
basicConstraints = critical, CA:true, pathlen:0
keyUsage = critical, keyCertSign, cRLSign
[stamps]
basicConstraints = critical, CA:false
keyUsage = critical, digitalSignature
extendedKeyUsage = critical, timeStamping
[pages]
basicConstraints = critical, CA:false
keyUsage = critical, digitalSignature
extendedKeyUsage = critical, serverAuth
[several]
basicConstraints = critical, CA:false
keyUsage = critical, digitalSignature
extendedKeyUsage = critical, timeStamping, serverAuth
[tsa]
default_tsa = tsa_config
[tsa_config]
serial = serial
default_policy = 1.2.3.4.1
digests = sha256
accuracy = secs:1
ordering = no
tsa_name = no
ess_cert_id_chain = no
ess_cert_id_alg = sha256
`;

export type Authority = {
  readonly folder: string;
  /** PEM of the root. */
  readonly root: string;
  readonly rootFile: string;
};

function openssl(folder: string, ...args: string[]): Buffer {
  return execFileSync('openssl', args, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
}

/** Time stamps are signed with RSA, as most servers do; other keys are of a kind that is created at once. */
function createKey(folder: string, name: string): void {
  const { privateKey } =
    name === 'tsa'
      ? generateKeyPairSync('rsa', { modulusLength: 2048 })
      : generateKeyPairSync('ec', { namedCurve: 'P-256' });
  writeFileSync(join(folder, `${name}.key`), privateKey.export({ format: 'pem', type: 'pkcs8' }));
}

/** `dates` are two UTC times, as `openssl ca` writes them. */
export type CertificateOptions = {
  readonly issuer?: string;
  readonly extensions?: 'between' | 'stamps' | 'pages' | 'several';
  readonly dates?: readonly [string, string];
};

/** Writes `<name>.pem` and `<name>.key`. */
export function createCertificate(folder: string, name: string, options: CertificateOptions = {}): void {
  const { issuer = 'between', extensions = 'stamps', dates } = options;
  createKey(folder, name);
  openssl(folder, 'req', '-new', '-key', `${name}.key`, '-subj', `/CN=vp test ${name}`, '-out', `${name}.csr`);
  const period = dates ? ['-startdate', dates[0], '-enddate', dates[1]] : ['-days', '2'];
  const signer = ['-cert', `${issuer}.pem`, '-keyfile', `${issuer}.key`];
  const request = ['-in', `${name}.csr`, '-out', `${name}.pem`, '-notext', '-extensions', extensions];
  openssl(folder, 'ca', '-batch', '-config', 'ts.cnf', ...signer, ...period, ...request);
}

/** A root, a certificate below it, and `tsa.pem` for time stamps below that. */
export function createAuthority(folder: string): Authority {
  writeFileSync(join(folder, 'ts.cnf'), config);
  writeFileSync(join(folder, 'index.txt'), '');
  writeFileSync(join(folder, 'serial'), '01\n');
  createKey(folder, 'root');
  const subject = ['-subj', '/CN=vp test time root', '-days', '2', '-config', 'ts.cnf', '-extensions', 'root'];
  writeFileSync(join(folder, 'ts.cnf'), `[req]\ndistinguished_name = dn\n[dn]\n${config}`);
  openssl(folder, 'req', '-x509', '-new', '-key', 'root.key', ...subject, '-out', 'root.pem');
  createCertificate(folder, 'between', { issuer: 'root', extensions: 'between' });
  createCertificate(folder, 'tsa');
  const rootFile = join(folder, 'root.pem');
  return { folder, rootFile, root: readFileSync(rootFile, 'utf8') };
}

/** The response of `openssl ts` with the certificate `<name>.pem`. */
export function createReply({ folder }: Authority, request: Buffer, name = 'tsa'): Buffer {
  writeFileSync(join(folder, 'request.tsq'), request);
  const signer = ['-signer', `${name}.pem`, '-inkey', `${name}.key`, '-chain', 'between.pem', '-sha256'];
  const names = ['-config', 'ts.cnf', '-section', 'tsa_config', '-queryfile', 'request.tsq'];
  return openssl(folder, 'ts', '-reply', ...names, ...signer);
}

function encodeSequence(content: Buffer): Buffer {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(content.length);
  return Buffer.concat([Buffer.from([0x30, 0x82]), length, content]);
}

/** A response that `openssl ts` would refuse to make: its content, signed again with the certificate `<name>.pem`. */
export function signAgain(
  authority: Authority,
  reply: Buffer,
  name: string,
  options: readonly string[] = ['-cades'],
): Buffer {
  const { folder } = authority;
  writeFileSync(join(folder, 'reply.tsr'), reply);
  openssl(folder, 'ts', '-reply', '-in', 'reply.tsr', '-token_out', '-out', 'token.der');
  openssl(folder, 'cms', '-verify', '-noverify', '-nosigs', '-inform', 'DER', '-in', 'token.der', '-out', 'info.der');
  const content = ['-binary', '-nodetach', '-econtent_type', '1.2.840.113549.1.9.16.1.4', '-in', 'info.der'];
  const signer = ['-signer', `${name}.pem`, '-inkey', `${name}.key`, '-certfile', 'between.pem', '-md', 'sha256'];
  const token = openssl(folder, 'cms', '-sign', ...content, ...signer, ...options, '-outform', 'DER');
  return encodeSequence(Buffer.concat([Buffer.from('3003020100', 'hex'), token]));
}

export type TimeStampServer = {
  readonly url: URL;
  /** May be replaced at any time. Undefined: no answer. */
  respond: (request: Buffer) => Buffer | number | undefined;
  readonly requests: Buffer[];
};

/** Answers with a number as the status. */
export async function startTimeStampServer(t: Test, respond: TimeStampServer['respond']): Promise<TimeStampServer> {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const bytes = Buffer.concat(chunks);
    running.requests.push(bytes);
    const reply = running.respond(bytes);
    if (reply === undefined) return;
    if (typeof reply === 'number') response.writeHead(reply).end();
    else response.writeHead(200, { 'content-type': 'application/timestamp-reply' }).end(reply);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });
  const running: TimeStampServer = {
    url: new URL(`http://127.0.0.1:${getPort(server)}/stamp?key=hidden`),
    respond,
    requests: [],
  };
  return running;
}
