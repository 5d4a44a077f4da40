/** Certificates for tests, created with openssl in a folder of the test. */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** PEM texts. */
export type KeyPair = { readonly key: string; readonly cert: string };
/** A root certificate that can sign. */
export type RootCertificate = {
  readonly cert: string;
  readonly file: string;
  leaf(name: string, options?: LeafOptions): KeyPair;
};
/** `expired`: valid for one day of 2020. */
export type LeafOptions = { readonly expired?: boolean };

function openssl(folder: string, ...args: string[]): void {
  execFileSync('openssl', args, { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
}

function newKey(folder: string, file: string): void {
  openssl(folder, 'genpkey', '-algorithm', 'EC', '-pkeyopt', 'ec_paramgen_curve:P-256', '-out', file);
}

const authority = `[ca]
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
`;

/** A new root certificate; its files are in `folder`. */
export function createRootCertificate(folder: string): RootCertificate {
  writeFileSync(join(folder, 'ca.cnf'), authority);
  writeFileSync(join(folder, 'index.txt'), '');
  newKey(folder, 'root.key');
  openssl(
    folder,
    'req',
    '-x509',
    '-new',
    '-key',
    'root.key',
    '-subj',
    '/CN=vp test root',
    '-days',
    '2',
    '-out',
    'root.pem',
  );
  const file = join(folder, 'root.pem');
  return { cert: readFileSync(file, 'utf8'), file, leaf: (name, options) => makeLeaf(folder, name, options) };
}

/** Signs a certificate for the DNS name or the IPv4 address `name`. */
function makeLeaf(folder: string, name: string, { expired = false }: LeafOptions = {}): KeyPair {
  newKey(folder, 'leaf.key');
  const kind = /^[\d.]+$/.test(name) ? 'IP' : 'DNS';
  writeFileSync(join(folder, 'leaf.ext'), `subjectAltName=${kind}:${name}\n`);
  openssl(folder, 'req', '-new', '-key', 'leaf.key', '-subj', `/CN=${name}`, '-out', 'leaf.csr');
  const validity = expired ? ['-startdate', '20200101000000Z', '-enddate', '20200102000000Z'] : ['-days', '2'];
  const signer = ['-config', 'ca.cnf', '-cert', 'root.pem', '-keyfile', 'root.key', '-extfile', 'leaf.ext'];
  openssl(folder, 'ca', '-batch', '-notext', ...signer, ...validity, '-in', 'leaf.csr', '-out', 'leaf.pem');
  return { key: readFileSync(join(folder, 'leaf.key'), 'utf8'), cert: readFileSync(join(folder, 'leaf.pem'), 'utf8') };
}
