// Ten requests a second, whether or not those before are answered.
import http from "k6/http";

export const options = {
  scenarios: {
    open: {
      executor: "constant-arrival-rate",
      rate: 10,
      timeUnit: "1s",
      duration: "100s",
      preAllocatedVUs: 20,
    },
  },
};

export default function () {
  http.get("http://127.0.0.1:8099/");
}
