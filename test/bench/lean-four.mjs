/**
 * The leanest script that sends the same four requests with the same headers and makes the same six checks each: `node:http` with
 * connections that stay open, neither fetch nor undici. The floor of a cold `vp run --local`.
 *
 *     node lean-four.mjs <base url> <bearer token>
 */
import { Agent, request } from 'node:http';

const [baseUrl, token] = process.argv.slice(2);
const counted = /^[0-9]+$/;
const fromOne = /^[1-9][0-9]*$/;
const collections = ['document', 'envelope', 'folder', 'template'];
const agent = new Agent({ keepAlive: true });
let passed = 0;

function get(collection, id) {
  const headers = {
    'X-Correlation-Id': id,
    'User-Agent': 'lean',
    Authorization: `Bearer ${token}`,
    'X-Request-Id': id,
  };
  return new Promise((resolve, reject) => {
    const sent = request(`${baseUrl}/api/v2/${collection}`, { agent, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (piece) => {
        text += piece;
      });
      response.on('end', () => resolve({ status: response.statusCode, body: JSON.parse(text) }));
    });
    sent.on('error', reject).end();
  });
}

for (const collection of collections) {
  const { status, body } = await get(collection, `tr-lean-${collection}`);
  const holds =
    status === 200 &&
    body.data !== undefined &&
    counted.test(String(body.count)) &&
    fromOne.test(String(body.currentPage)) &&
    fromOne.test(String(body.perPage)) &&
    counted.test(String(body.totalPages));
  if (holds) passed += 1;
}
agent.destroy();
console.log(`${passed} of ${collections.length} passed`);
process.exitCode = passed === collections.length ? 0 : 1;
