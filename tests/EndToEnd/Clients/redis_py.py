"""Drives redis-py against a server: redis_py.py PORT. Prints ok where all is well."""
import sys
import time

import redis

client = redis.Redis(port=int(sys.argv[1]), decode_responses=True)
assert client.ping()
assert client.set("py:a", "1", ex=100)
assert client.get("py:a") == "1"
assert client.incrbyfloat("py:a", 1.5) == 2.5
assert client.setnx("py:a", "x") is False
assert client.mset({"py:b": "2", "py:c": "3"})
assert client.mget("py:b", "py:none", "py:c") == ["2", None, "3"]
assert client.setbit("py:bits", 7, 1) == 0 and client.bitcount("py:bits") == 1
with client.pipeline() as pipe:
    pipe.watch("py:b")
    value = int(pipe.get("py:b"))
    pipe.multi()
    pipe.set("py:b", value + 1)
    assert pipe.execute() == [True]
assert sorted(client.scan_iter("py:*")) == ["py:a", "py:b", "py:bits", "py:c"]
pubsub = client.pubsub()
pubsub.psubscribe("py:*")
assert pubsub.get_message(timeout=300)["type"] == "psubscribe"
assert client.publish("py:news", "hi") == 1
assert pubsub.get_message(timeout=300)["data"] == "hi"
pubsub.close()
client.pexpire("py:c", 20)
limit = time.time() + 300
while client.exists("py:c") and time.time() < limit:
    time.sleep(0.005)
assert not client.exists("py:c")
info = client.info()
assert info["redis_version"] == "8.0.0" and info["server_name"] == "cinnabar"
assert client.config_get("maxmemory-policy") == {"maxmemory-policy": "noeviction"}
assert any(entry["addr"] for entry in client.client_list())
try:
    client.execute_command("INCR", "py:bits")
    raise SystemExit("INCR of bits must fail")
except redis.ResponseError as error:
    assert "not an integer" in str(error)
print("ok")
