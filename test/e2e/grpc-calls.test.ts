/** The packed binary calls methods of gRPC: its HTTP/2 and the code that is generated for messages work there too. */
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { packedFile } from '../packed/packed.ts';
import { startGrpcTarget } from '../targets/grpc-target.ts';
import { sandboxTest } from './sandbox.ts';

function scenarioText(name: string, state: string, proto = ''): string {
  return `# Scenario: GRPC ${name}

## Metadata

- ID: RT-GRPC-${name}
- Layer: HTTP Ingestion

## STEPS

### create

GRPC shop.v1.Orders/CreateOrder${proto}

~~~json
{ "item": "lamp" }
~~~

- capture order_id = body.orderId

## TRIGGER

GRPC shop.v1.Orders/WatchOrder${proto}
X-Request-Id: \${correlation_id}

~~~json
{ "orderId": \${order_id}, "messages": 4 }
~~~

## EXPECT

### Runnable

- status=200
- receive messages until body some state equals ${state} within 20s
`;
}

sandboxTest('a stream is received by reflection and by files', async (t, sandbox) => {
  const { origin, calls } = await startGrpcTarget(t);
  sandbox.write(
    'product/platform-config.yaml',
    `project: { name: shop }\ntargets:\n  http: { base_url: "http://127.0.0.1:9" }\n  grpc: { base_url: "${origin}" }\n`,
  );
  sandbox.write('test/reflected.md', scenarioText('reflected', 'PAID'));
  sandbox.write('test/filed.md', scenarioText('filed', 'SHIPPED', '\nproto: protos/shop/v1/orders.proto'));
  cpSync(join(import.meta.dirname, '../targets/grpc'), join(sandbox.folder, 'test/protos'), { recursive: true });
  const command = ['run', '--local', '--product-dir', 'product', '--test-dir', 'test'];
  const { code, stdout, stderr } = await sandbox.start(packedFile, command).ended;
  t.equal(code, 1, `${stdout}${stderr}`);
  t.match(stdout, /✓ RT-GRPC-reflected/);
  t.match(stdout, /✕ RT-GRPC-filed/);
  t.match(stdout, /none of 4.*the stream ended after 4 messages/);
  t.equal(calls.length, 4);
});
