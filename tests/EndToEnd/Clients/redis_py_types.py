"""Drives redis-py over all types of data: redis_py_types.py PORT. Prints ok where all is well."""
import sys
import threading
import time

import redis

client = redis.Redis(port=int(sys.argv[1]), decode_responses=True)
other = redis.Redis(port=int(sys.argv[1]), decode_responses=True)


def while_blocked(wait, act):
    """What wait gives, where act ends its waiting in the server."""
    results = []
    thread = threading.Thread(target=lambda: results.append(wait()), daemon=True)
    thread.start()
    limit = time.time() + 300
    while client.info("clients")["blocked_clients"] != 1:
        assert time.time() < limit, "no client blocks"
    act()
    thread.join(300)
    return results[0]


assert client.rpush("py:l", "a", "b", "c") == 3
assert client.lrange("py:l", 0, -1) == ["a", "b", "c"]
assert client.lpos("py:l", "b") == 1 and client.lpop("py:l", 2) == ["a", "b"]
assert while_blocked(lambda: other.blpop(["py:none", "py:later"], 0),
                     lambda: client.rpush("py:later", "now")) == ("py:later", "now")

fields = {f"field{i}": f"value{i}" for i in range(300)}
assert client.hset("py:h", mapping=fields) == 300
assert client.hgetall("py:h") == fields
assert client.hmget("py:h", "field1", "none") == ["value1", None]
assert dict(client.hscan_iter("py:h")) == fields

assert client.sadd("py:s", *fields) == 300
assert client.smembers("py:s") == set(fields)
client.sadd("py:t", "field7", "none")
assert client.sinter("py:s", "py:t") == {"field7"} and client.sdiff("py:t", "py:s") == {"none"}
assert set(client.sscan_iter("py:s")) == set(fields)

scores = {name: index / 2 for index, name in enumerate(sorted(fields))}
scores["end"] = float("inf")
assert client.zadd("py:z", scores) == 301
assert client.zrange("py:z", 0, -1, withscores=True) == list(scores.items())
assert client.zpopmax("py:z") == [("end", float("inf"))]
assert client.zincrby("py:z", 0.25, "field0") == 0.25
assert client.zmscore("py:z", ["field0", "none"]) == [0.25, None]
assert len(dict(client.zscan_iter("py:z"))) == 300
assert while_blocked(lambda: other.bzpopmin("py:none", 0),
                     lambda: client.zadd("py:none", {"m": 1.5})) == ("py:none", "m", 1.5)

client.geoadd("py:g", (13.361389, 38.115556, "Palermo", 15.087269, 37.502669, "Catania"))
assert client.geosearch("py:g", longitude=15, latitude=37, radius=200, unit="km", sort="ASC",
                        withdist=True) == [["Catania", 56.4413], ["Palermo", 190.4424]]
assert client.pfadd("py:p", "a", "b", "c") == 1 and client.pfcount("py:p") == 3
assert client.sort("py:t", alpha=True, desc=True) == ["none", "field7"]

client.xgroup_create("py:x", "g", "$", mkstream=True)
[[name, [(entry, value)]]] = while_blocked(
    lambda: other.xreadgroup("g", "c", {"py:x": ">"}, block=0), lambda: client.xadd("py:x", {"f": "v"}))
assert (name, value) == ("py:x", {"f": "v"})
assert client.xpending("py:x", "g") == {
    "pending": 1, "min": entry, "max": entry, "consumers": [{"name": "c", "pending": 1}]}
assert client.xautoclaim("py:x", "g", "d", 0, "0")[1] == [(entry, {"f": "v"})]
assert client.xpending_range("py:x", "g", "-", "+", 9)[0]["consumer"] == "d"
assert client.xack("py:x", "g", entry) == 1
assert client.xinfo_stream("py:x")["length"] == 1 and client.xinfo_groups("py:x")[0]["pending"] == 0
print("ok")
