import { execFileSync } from 'node:child_process';
import { createPrivateKey, generateKeyPairSync } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { proofRecords, recordOf } from '../../src/registry/proof-record.ts';
import { algorithmOf, algorithms, isPublicKey, isSignedBy, publicKeyOf, signed } from '../../src/registry/signature.ts';

const fresh = {
  ed25519: () => generateKeyPairSync('ed25519').privateKey,
  ecdsap384: () => generateKeyPairSync('ec', { namedCurve: 'P-384' }).privateKey,
};
const moment = '2026-11-21T12:00:00.123Z';

for (const algorithm of algorithms) {
  t.test(`${algorithm}: what one key signs, its public half as a record has it confirms, and no other`, async (t) => {
    const key = fresh[algorithm]();
    const [record] = proofRecords([recordOf(publicKeyOf(key, algorithm))]);
    if (!record?.key) throw new Error('the record was not read');
    t.equal(algorithmOf(key), algorithm);
    const signature = signed(key, algorithm, moment);
    t.ok(isSignedBy(record.key, moment, signature));
    t.ok(isSignedBy(record.key, moment, signature.toUpperCase()));
    t.notOk(isSignedBy(record.key, '2026-11-21T12:00:00.124Z', signature), 'another text');
    t.notOk(isSignedBy(publicKeyOf(fresh[algorithm](), algorithm), moment, signature), 'another key');
    const flipped = signature.replace(/^./, (digit) => (digit === '0' ? '1' : '0'));
    for (const bad of [
      flipped,
      signature.slice(2),
      `${signature}00`,
      '',
      'zz'.repeat(signature.length / 2),
      '0'.repeat(signature.length),
    ])
      t.notOk(isSignedBy(record.key, moment, bad), bad.slice(0, 20));
  });
}

t.test(
  'forms are those of the usual tools: the last 32 bytes of an Ed25519 key, the compressed point of P-384',
  async (t) => {
    const folder = t.testdir();
    const openssl = (...words: string[]) => execFileSync('openssl', words, { cwd: folder });
    openssl('genpkey', '-algorithm', 'Ed25519', '-out', 'ed.pem');
    const ed = createPrivateKey(readFileSync(join(folder, 'ed.pem')));
    const der = openssl('pkey', '-in', 'ed.pem', '-pubout', '-outform', 'DER');
    t.equal(publicKeyOf(ed, 'ed25519').text, der.subarray(-32).toString('base64'));
    openssl('ecparam', '-name', 'secp384r1', '-noout', '-genkey', '-out', 'ec.pem');
    const ec = createPrivateKey(readFileSync(join(folder, 'ec.pem')));
    const short = openssl('ec', '-in', 'ec.pem', '-pubout', '-outform', 'DER', '-conv_form', 'compressed');
    t.equal(publicKeyOf(ec, 'ecdsap384').text, short.subarray(-49).toString('base64'));
    writeFileSync(join(folder, 'moment'), moment);
    const raw = openssl('pkeyutl', '-sign', '-inkey', 'ed.pem', '-rawin', '-in', 'moment');
    t.ok(isSignedBy(publicKeyOf(ed, 'ed25519'), moment, raw.toString('hex')), 'a signature of openssl');
  },
);

t.test('keys of other kinds are none of ours', async (t) => {
  t.equal(algorithmOf(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey), undefined);
  t.equal(algorithmOf(generateKeyPairSync('x25519').privateKey), undefined);
  t.notOk(isPublicKey({ algorithm: 'ed25519', text: Buffer.alloc(31).toString('base64') }), 'too short');
  t.notOk(
    isPublicKey({ algorithm: 'ecdsap384', text: Buffer.alloc(49, 2).toString('base64') }),
    'no point of the curve',
  );
  t.notOk(isPublicKey({ algorithm: 'ecdsap384', text: Buffer.alloc(49, 4).toString('base64') }), 'not compressed');
});

t.test(
  'among all the TXT records of a domain the proofs are found, and what is wrong with one spoils no other',
  async (t) => {
    const key = publicKeyOf(fresh.ed25519(), 'ed25519');
    const other = publicKeyOf(fresh.ecdsap384(), 'ecdsap384');
    const found = proofRecords([
      'v=spf1 include:_spf.example.com -all',
      recordOf(key),
      `  ${recordOf(other).replaceAll('; ', ';')}; `,
      'v=MCPv1; k=rsa; p=AAAA',
      'v=MCPv1; k=ed25519; p=####',
      `prefix ${recordOf(key)}`,
      `v=MCPv1; k=ed25519; p=${key.text} and more`,
      'v=MCPv10; k=ed25519; p=AAAA',
    ]);
    t.same(
      found.map(({ key: one }) => one?.text),
      [key.text, other.text, undefined, undefined, undefined],
    );
  },
);
