import { execFileSync } from 'node:child_process';
import { createPrivateKey, generateKeyPairSync } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { formatProofRecord, parseProofRecords } from '../../../src/registry/dns-proof/proof-record.ts';
import {
  exportPublicKey,
  findAlgorithm,
  isSignedBy,
  isValidPublicKey,
  signatureAlgorithms,
  signText,
} from '../../../src/registry/dns-proof/signature.ts';

const createKey = {
  ed25519: () => generateKeyPairSync('ed25519').privateKey,
  ecdsap384: () => generateKeyPairSync('ec', { namedCurve: 'P-384' }).privateKey,
};
const timestamp = '2026-11-21T12:00:00.123Z';

for (const algorithm of signatureAlgorithms) {
  t.test(`${algorithm}: a signature is verified by the public key of a record, and by no other key`, async (t) => {
    const key = createKey[algorithm]();
    const [record] = parseProofRecords([formatProofRecord(exportPublicKey(key, algorithm))]);
    if (!record?.key) throw new Error('the record was not read');
    t.equal(findAlgorithm(key), algorithm);
    const signature = signText(key, algorithm, timestamp);
    t.ok(isSignedBy(record.key, timestamp, signature));
    t.ok(isSignedBy(record.key, timestamp, signature.toUpperCase()));
    t.notOk(isSignedBy(record.key, '2026-11-21T12:00:00.124Z', signature), 'another text');
    t.notOk(isSignedBy(exportPublicKey(createKey[algorithm](), algorithm), timestamp, signature), 'another key');
    const flipped = signature.replace(/^./, (digit) => (digit === '0' ? '1' : '0'));
    for (const invalid of [
      flipped,
      signature.slice(2),
      `${signature}00`,
      '',
      'zz'.repeat(signature.length / 2),
      '0'.repeat(signature.length),
    ])
      t.notOk(isSignedBy(record.key, timestamp, invalid), invalid.slice(0, 20));
  });
}

t.test(
  'formats are those of openssl: the last 32 bytes of an Ed25519 key, the compressed point of P-384',
  async (t) => {
    const folder = t.testdir();
    const openssl = (...commandArguments: string[]) => execFileSync('openssl', commandArguments, { cwd: folder });
    openssl('genpkey', '-algorithm', 'Ed25519', '-out', 'ed.pem');
    const ed = createPrivateKey(readFileSync(join(folder, 'ed.pem')));
    const der = openssl('pkey', '-in', 'ed.pem', '-pubout', '-outform', 'DER');
    t.equal(exportPublicKey(ed, 'ed25519').text, der.subarray(-32).toString('base64'));
    openssl('ecparam', '-name', 'secp384r1', '-noout', '-genkey', '-out', 'ec.pem');
    const ec = createPrivateKey(readFileSync(join(folder, 'ec.pem')));
    const short = openssl('ec', '-in', 'ec.pem', '-pubout', '-outform', 'DER', '-conv_form', 'compressed');
    t.equal(exportPublicKey(ec, 'ecdsap384').text, short.subarray(-49).toString('base64'));
    writeFileSync(join(folder, 'moment'), timestamp);
    const raw = openssl('pkeyutl', '-sign', '-inkey', 'ed.pem', '-rawin', '-in', 'moment');
    t.ok(isSignedBy(exportPublicKey(ed, 'ed25519'), timestamp, raw.toString('hex')), 'a signature of openssl');
  },
);

t.test('keys of other algorithms are refused', async (t) => {
  t.equal(findAlgorithm(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey), undefined);
  t.equal(findAlgorithm(generateKeyPairSync('x25519').privateKey), undefined);
  t.notOk(isValidPublicKey({ algorithm: 'ed25519', text: Buffer.alloc(31).toString('base64') }), 'too short');
  t.notOk(
    isValidPublicKey({ algorithm: 'ecdsap384', text: Buffer.alloc(49, 2).toString('base64') }),
    'no point of the curve',
  );
  t.notOk(isValidPublicKey({ algorithm: 'ecdsap384', text: Buffer.alloc(49, 4).toString('base64') }), 'not compressed');
});

t.test(
  'key records are found among all TXT records of a domain, and a malformed one does not affect others',
  async (t) => {
    const key = exportPublicKey(createKey.ed25519(), 'ed25519');
    const other = exportPublicKey(createKey.ecdsap384(), 'ecdsap384');
    const records = parseProofRecords([
      'v=spf1 include:_spf.example.com -all',
      formatProofRecord(key),
      `  ${formatProofRecord(other).replaceAll('; ', ';')}; `,
      'v=MCPv1; k=rsa; p=AAAA',
      'v=MCPv1; k=ed25519; p=####',
      `prefix ${formatProofRecord(key)}`,
      `v=MCPv1; k=ed25519; p=${key.text} and more`,
      'v=MCPv10; k=ed25519; p=AAAA',
    ]);
    t.same(
      records.map(({ key: recordKey }) => recordKey?.text),
      [key.text, other.text, undefined, undefined, undefined],
    );
  },
);
