// Writes through clients that ask Sentinels for the master, until the key "failover:done" is at the master that they
// find: node sentinel.mjs PORT PORT PORT. Exits with 0 and prints "ok".
import Redis from 'ioredis';
import { createSentinel } from 'redis';

const done = 'failover:done';
const sentinels = process.argv.slice(2).map((port) => ({ host: '127.0.0.1', port: Number(port) }));
const pause = () => new Promise((resolve) => { setTimeout(resolve, 50); });

// A lost master is what this is about.
function ignore() {}

async function ioredis() {
  const client = new Redis({
    sentinels, name: 'watched', maxRetriesPerRequest: null, retryStrategy: () => 50, sentinelRetryStrategy: () => 50,
  });
  client.on('error', ignore);
  for (let isDone = false; !isDone; await pause()) {
    try {
      await client.set('ioredis', '1');
      isDone = await client.exists(done) === 1;
    } catch (error) {
      // The old master refuses writes once it is a replica, and closes connections.
      ignore(error);
    }
  }

  client.disconnect();
}

async function nodeRedis() {
  const client = createSentinel({
    name: 'watched', sentinelRootNodes: sentinels, scanInterval: 200, maxCommandRediscovers: 1000,
  });
  client.on('error', ignore);
  client.on('client-error', ignore);
  await client.connect();
  for (let isDone = false; !isDone; await pause()) {
    try {
      await client.set('node-redis', '1');
      isDone = await client.exists(done) === 1;
    } catch (error) {
      ignore(error);
    }
  }

  await client.close();
}

await Promise.all([ioredis(), nodeRedis()]);
console.log('ok');
process.exit(0);
